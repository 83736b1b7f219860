// Listing B.5 of A. Plaza, PhD thesis, Universidad Publica de Navarra, 2015:
// [M | delta] of the four-bar, negative sign.
// Repaired: 12 read as l2, once, in _MDelta[10].
atom26 = cos(theta2);
atom75 = l1*atom26;
atom77 = l2+atom75;
atom27 = sin(theta2);
atom76 = atom27*l1;
atom24 = m2*cg2x;
atom25 = m2*cg2z;
atom333 = atom25*atom76+atom75*atom24;
atom1 = sin(theta3);
atom0 = cos(theta3);
atom43 = cg3z*m3;
atom42 = cg3x*m3;
atom387 = atom43*( atom0*atom76+atom77*atom1)+atom42*(
    atom77*atom0-atom1*atom76);
atom390 = l2*atom42*atom0+l2*atom43*atom1;
atom15 = sin(theta1);
atom14 = cos(theta1);
atom33 = atom27*atom14+atom15*atom26;
atom30 = atom14*atom26-atom15*atom27;
atom49 = atom30*atom1+atom0*atom33;
atom46 = atom30*atom0-atom1*atom33;
atom52 = atom43*atom49+atom46*atom42;
atom57 = -m3*g;
atom98 = -l2*atom27;
atom97 = l2*atom26;
atom462 = atom57*atom14;
atom99 = atom97+l1;
atom463 = -atom57*atom15*atom98;
atom36 = atom25*atom33+atom30*atom24;
atom96 = l2*dtheta2;
atom104 = dtheta1*atom98-atom27*atom96;
atom103 = -atom96*atom26;
atom377 = -atom97*dtheta1+atom103;
atom370 = atom104*atom14;
atom381 = -atom370-atom15*atom377;
atom105 = -dtheta1*atom99+atom103;
atom372 = atom15*atom105+atom370;
atom373 = -atom15*atom104;
atom375 = atom105*atom14+atom373;
atom379 = atom377*atom14+atom373;
atom419 = dtheta2*atom381*m3-atom372*dtheta1*m3;
atom416 = dtheta1*m3*atom375+atom379*dtheta2*m3;
atom85 = dtheta2+dtheta1;
atom92 = dtheta3+atom85;
atom429 = -(atom92*atom92)*atom1;
atom428 = -(atom92*atom92)*atom0;
atom446 = atom419*atom30+atom416*atom33-atom42*atom429+
  atom43*atom428;
atom93 = dtheta1*l1;
atom329 = -atom15*atom93;
atom330 = -atom14*atom93;
atom362 = -atom330*( atom24*atom33-atom30*atom25)*dtheta1+
  atom329*dtheta1*atom36;
atom444 = -atom52*( dtheta2*atom381-atom372*dtheta1)-(
  dtheta1*atom375+atom379*dtheta2)*( atom42*atom49-atom46*
  atom43);
atom40 = atom36*g;
atom56 = atom52*g;
atom491 = -Fx3*atom49+atom46*Fz3;
atom488 = Fz3*atom49+atom46*Fx3;
atom497 = atom491*atom14+atom15*atom488;
atom498 = ( atom488*atom14-atom15*atom491)*atom98;
atom406 = -atom333-I2yy-atom390-atom387-I3yy-l2*atom77*m3;
atom407 = -atom387-I3yy;
atom409 = -atom390-I3yy;
_MDelta[0] = -m2*(l1*l1)+-2.0*atom333-I2yy+-2.0*atom387-
  I3yy-( (atom77*atom77)+(atom76*atom76))*m3-I1yy;
_MDelta[1] = atom406;
_MDelta[2] = atom407;
_MDelta[3] = atom406;
_MDelta[4] = -I2yy+-2.0*atom390-(l2*l2)*m3-I3yy;
_MDelta[5] = atom409;
_MDelta[6] = atom407;
_MDelta[7] = atom409;
_MDelta[8] = -I3yy;
_MDelta[9] = -My2-atom40+atom497*atom99-atom77*atom446+l1*(
  ( Fz2*atom30-Fx2*atom33)*atom14+atom15*( Fz2*atom33+
  atom30*Fx2))+atom362-( atom27*(atom85*atom85)*atom24-
  atom25*(atom85*atom85)*atom26-atom329*dtheta1*m2*atom14+
  atom330*atom15*dtheta1*m2)*l1-My3-atom56+atom444-(
  atom419*atom33-atom43*atom429-atom42*atom428-atom416*
  atom30)*atom76-m2*g*l1*atom14-( m1*atom15*cg1z+cg1x*m1*
  atom14)*g-atom463-atom498+atom462*atom99;
_MDelta[10] = -My2-atom40+atom362-My3-atom56+atom444+atom97
*atom497-atom463+atom97*atom462-atom498-l2*atom446;
_MDelta[11] = -My3-atom56+atom444;
