// Listing B.1 of A. Plaza, PhD thesis, Universidad Publica de Navarra, 2015:
// r_O^C of the four-bar by the position operator, in the base xyz.
// Repaired: nothing. The components are named r[0..2].
r[0] = -sin(theta1)*(sin(theta2)*(l3*cos(theta3)+l2)
+l3*sin(theta3)*cos(theta2))-cos(theta1)*
(l3*sin(theta2)*sin(theta3)-l1-cos(theta2)
*(l3*cos(theta3)+l2));
r[1] = 0;
r[2] = -cos(theta1)*(sin(theta2)*(l3*cos(theta3)+l2)
+l3*sin(theta3)*cos(theta2))+(l3*sin(theta2)*sin(theta3)
-l1-cos(theta2)*(l3*cos(theta3)+l2))*sin(theta1);
