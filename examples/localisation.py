"""Where is the robot? Encoders, a gyro and a noisy camera in a football match, filtered, against the truth.

The camera sees 40 times a second, to 5 mm and 3 degrees. Wheels spin when robots push each other, so that
dead reckoning is lost in seconds; the filter knows where it is at every step of 5 ms, better than the camera.
"""

from biela import arena
from biela.arena.localisation import Senses, Watch, errors

for seed in (3, 5):
    rules = arena.FootballRules(half=8.0, halves=1)
    match = arena.football(left="roles", right="swarm", seed=seed, rules=rules)
    watch = Watch("left1")
    match.kernel.join(watch)
    match.play()
    found = errors(watch.track, Senses(), arena.VSSS_ROBOTS["rsim"], seed)
    print(f"{len(watch.rows) * watch.track.step:.1f} s of play")
    for name, (place, heading) in found.items():
        print(f"  {name:15} {1e3 * place:7.1f} mm {1e3 * heading:6.1f} mrad")
