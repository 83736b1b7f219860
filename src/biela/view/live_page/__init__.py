"""Live pages: what runs, in browsers, to be watched and driven; ``bl.view.live(simulation)``.

* a `Source` (`source`) is what is shown and what can be done to it; one final class for a simulation
  (`simulation`), a filter (`observation`), a ride of a platform (`ride`) and a match (`match`), found by
  what they show (`registry`);
* the `Loop` (`loop`) runs one in a thread of its own, sixty times a second: orders in, frames out;
* the `Server` (`server`) has the page and the frames on one port of this machine, for any number of browsers;
* an order (`order`) is what a browser asks for, checked before anybody acts on it;
* a `Control` (`control`) is a slider, switch or choice.

In the browser (``assets/live``) the player of replays draws frames as they come.
"""
