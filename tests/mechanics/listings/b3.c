// Listing B.3 of A. Plaza, PhD thesis, Universidad Publica de Navarra, 2015:
// r_O^C of the four-bar by the position operator, in the base B3.
// Repaired: nothing. The components are named r[0..2].
r[0] = l3+(cos(theta2)*l1+l2)*cos(theta3)
-sin(theta3)*l1*sin(theta2);
r[1] = 0;
r[2] = sin(theta3)*(cos(theta2)*l1+l2)
+l1*cos(theta3)*sin(theta2);
