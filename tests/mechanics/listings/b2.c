// Listing B.2 of A. Plaza, PhD thesis, Universidad Publica de Navarra, 2015:
// r_O^C of the four-bar as a plain sum, in the base xyz.
// Repaired: 12 and 13 read as l2 and l3. The components are named r[0..2].
r[0] = l2*(cos(theta1)*cos(theta2)-sin(theta2)*sin(theta1))
+cos(theta1)*l1-l3*((cos(theta3)*sin(theta2)
+sin(theta3)*cos(theta2))*sin(theta1)
-(cos(theta3)*cos(theta2)-sin(theta2)*sin(theta3))
*cos(theta1));
r[1] = 0;
r[2] = -(sin(theta1)*cos(theta2)+cos(theta1)*sin(theta2))*l2
-l3*((cos(theta3)*cos(theta2)-sin(theta2)*sin(theta3))
*sin(theta1)+cos(theta1)*(cos(theta3)*sin(theta2)
+sin(theta3)*cos(theta2)))-l1*sin(theta1);
