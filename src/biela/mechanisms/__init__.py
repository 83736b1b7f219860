"""Ready-made mechanisms: functions that return a `System` with parameters, an assembled start and a drawing.

`MECHANISMS` is the registry, name -> function; conformance tests walk it. A mechanism is one file with one
public function of the same name; adding one adds its file and its two lines here. The room of tier 2: it
imports only `biela.mechanics` and what that imports.
"""

from collections.abc import Callable

from biela.mechanics.system import System
from biela.mechanisms.andrews_squeezer import andrews_squeezer
from biela.mechanisms.arm6 import arm6
from biela.mechanisms.arm7 import arm7
from biela.mechanisms.block_pendulum import block_pendulum
from biela.mechanisms.bricard import bricard
from biela.mechanisms.car_axis import car_axis
from biela.mechanisms.cart_pole import cart_pole
from biela.mechanisms.crank_rod_disc import crank_rod_disc
from biela.mechanisms.double_four_bar import double_four_bar
from biela.mechanisms.double_pendulum import double_pendulum
from biela.mechanisms.five_bar import five_bar
from biela.mechanisms.flyball_governor import flyball_governor
from biela.mechanisms.four_bar import four_bar
from biela.mechanisms.four_bar_general import four_bar_general
from biela.mechanisms.four_bar_natural import four_bar_natural
from biela.mechanisms.four_bar_rod import four_bar_rod
from biela.mechanisms.hexaglide import hexaglide
from biela.mechanisms.locomotive import locomotive
from biela.mechanisms.n_four_bar import n_four_bar
from biela.mechanisms.n_pendulum import n_pendulum
from biela.mechanisms.pendulum import pendulum
from biela.mechanisms.rolling_disc import rolling_disc
from biela.mechanisms.slider_crank import slider_crank
from biela.mechanisms.spatial_slider_crank import spatial_slider_crank
from biela.mechanisms.stewart import stewart
from biela.mechanisms.two_rssu import two_rssu
from biela.mechanisms.wheelset import wheelset
from biela.mechanisms.whipple_bicycle import whipple_bicycle

MECHANISMS: dict[str, Callable[..., System]] = {
    function.__name__: function
    for function in (
        andrews_squeezer,
        arm6,
        arm7,
        block_pendulum,
        bricard,
        car_axis,
        cart_pole,
        crank_rod_disc,
        double_four_bar,
        double_pendulum,
        five_bar,
        flyball_governor,
        four_bar,
        four_bar_general,
        four_bar_natural,
        four_bar_rod,
        hexaglide,
        locomotive,
        n_four_bar,
        n_pendulum,
        pendulum,
        rolling_disc,
        slider_crank,
        spatial_slider_crank,
        stewart,
        two_rssu,
        wheelset,
        whipple_bicycle,
    )
}  # fmt: skip

__all__ = ["MECHANISMS", *MECHANISMS]  # pyright: ignore[reportUnsupportedDunderAll]
