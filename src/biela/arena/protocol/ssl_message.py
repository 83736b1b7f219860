"""The messages of the small size league: vision in mm and rad, simulation control in m, m/s and rad.

Field numbers: RoboCup-SSL/ssl-vision and ssl-simulation-protocol, 2026 (facts of interoperability). The
synchronous request is a draft there.
"""

from __future__ import annotations

from biela.arena.protocol.schema import Messages

SHAPES = (
    "Undefined", "CenterCircle", "TopTouchLine", "BottomTouchLine", "LeftGoalLine", "RightGoalLine",
    "HalfwayLine", "CenterLine", "LeftPenaltyStretch", "RightPenaltyStretch", "LeftFieldLeftPenaltyStretch",
    "LeftFieldRightPenaltyStretch", "RightFieldLeftPenaltyStretch", "RightFieldRightPenaltyStretch",
)  # fmt: skip
TEAMS = ("UNKNOWN", "YELLOW", "BLUE")
_VISION = {
    "SSL_WrapperPacket": "detection=1 SSL_DetectionFrame; geometry=2 SSL_GeometryData",
    "SSL_DetectionFrame": "frame_number=1 uint32!; t_capture=2 double! s; t_sent=3 double! s; "
    "camera_id=4 uint32!; balls=5 SSL_DetectionBall*; robots_yellow=6 SSL_DetectionRobot*; "
    "robots_blue=7 SSL_DetectionRobot*",
    "SSL_DetectionBall": "confidence=1 float!; area=2 uint32; x=3 float! mm; y=4 float! mm; z=5 float mm; "
    "pixel_x=6 float!; pixel_y=7 float!",
    "SSL_DetectionRobot": "confidence=1 float!; robot_id=2 uint32; x=3 float! mm; y=4 float! mm; "
    "orientation=5 float rad; pixel_x=6 float!; pixel_y=7 float!; height=8 float mm",
    "SSL_GeometryData": "field=1 SSL_GeometryFieldSize!",
    "SSL_GeometryFieldSize": "field_length=1 int32! mm; field_width=2 int32! mm; goal_width=3 int32! mm; "
    "goal_depth=4 int32! mm; boundary_width=5 int32! mm; field_lines=6 SSL_FieldLineSegment*; "
    "field_arcs=7 SSL_FieldCircularArc*; penalty_area_depth=8 int32 mm; penalty_area_width=9 int32 mm",
    "SSL_FieldLineSegment": "name=1 string!; p1=2 Vector2f!; p2=3 Vector2f!; thickness=4 float! mm; "
    "type=5 SSL_FieldShapeType",
    "SSL_FieldCircularArc": "name=1 string!; center=2 Vector2f!; radius=3 float! mm; a1=4 float! rad; "
    "a2=5 float! rad; thickness=6 float! mm; type=7 SSL_FieldShapeType",
    "Vector2f": "x=1 float! mm; y=2 float! mm",
}
_CONTROL = {
    "SimulatorCommand": "control=1 SimulatorControl; config=2 SimulatorConfig",
    "SimulatorControl": "teleport_ball=1 TeleportBall; teleport_robot=2 TeleportRobot*; "
    "simulation_speed=3 float",
    "SimulatorConfig": "geometry=1 SSL_GeometryData; robot_specs=2 Opaque*; realism_config=3 Opaque; "
    "vision_port=4 uint32",
    "Opaque": "nothing=536870911 bool",
    "TeleportBall": "x=1 float m; y=2 float m; z=3 float m; vx=4 float m/s; vy=5 float m/s; vz=6 float m/s; "
    "teleport_safely=7 bool; roll=8 bool; by_force=9 bool",
    "TeleportRobot": "id=1 RobotId!; x=2 float m; y=3 float m; orientation=4 float rad; v_x=5 float m/s; "
    "v_y=6 float m/s; v_angular=7 float rad/s; present=8 bool; by_force=9 bool",
    "RobotId": "id=1 uint32; team=2 Team",
    "SimulatorResponse": "errors=1 SimulatorError*",
    "SimulatorError": "code=1 string; message=2 string",
    "RobotControl": "robot_commands=1 RobotCommand*",
    "RobotCommand": "id=1 uint32!; move_command=2 RobotMoveCommand; kick_speed=3 float m/s; "
    "kick_angle=4 float deg; dribbler_speed=5 float rpm",
    "RobotMoveCommand": "wheel_velocity=1 MoveWheelVelocity; local_velocity=2 MoveLocalVelocity; "
    "global_velocity=3 MoveGlobalVelocity",
    "MoveWheelVelocity": "front_right=1 float! m/s; back_right=2 float! m/s; back_left=3 float! m/s; "
    "front_left=4 float! m/s",
    "MoveLocalVelocity": "forward=1 float! m/s; left=2 float! m/s; angular=3 float! rad/s",
    "MoveGlobalVelocity": "x=1 float! m/s; y=2 float! m/s; angular=3 float! rad/s",
    "RobotControlResponse": "errors=1 SimulatorError*; feedback=2 RobotFeedback*",
    "RobotFeedback": "id=1 RobotId!; dribbler_ball_contact=2 bool",
    "SimulationSyncRequest": "sim_step=1 float s; simulator_command=2 SimulatorCommand; "
    "robot_control=3 RobotControl",
    "SimulationSyncResponse": "detection=1 SSL_DetectionFrame*; "
    "robot_control_response=2 RobotControlResponse",
}
SSL = Messages(
    "ssl",
    _VISION | _CONTROL,
    {"SSL_FieldShapeType": dict(enumerate(SHAPES)), "Team": dict(enumerate(TEAMS))},
)
