"""A platform in the loop: telemetry of a vehicle comes in over UDP, the pose of the platform goes out.

* `packet`: the two packets, byte by byte, and what is no packet;
* `live`: `Live`, a guarded ride without network and clock: packets and moments in, poses out;
* `server`: `Server`, the loop with both, at the rate of the platform.

The motion falls silent on pause, and when telemetry stays away: the platform goes smoothly to rest, and
begins smoothly when telemetry is there again. An emergency stop brings it to a stand where it is; it stays
there until it is reset.
"""
