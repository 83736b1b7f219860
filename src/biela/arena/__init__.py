"""Robot competitions: scenes, physics, a kernel with agents, referees and matches.

``sumo("mini", left="charge", right="orbiter", seed=7).play()`` plays a refereed match without a screen, the
same for the same seed, and returns a `Result` with a Record and a replay. Beneath it:

* a `Scene` is data: entities made of bodies, joints and motors, with materials (`biela.arena.scene`);
* `backend("mujoco")`, ``"pymunk"`` and ``"flat"`` move it (`biela.arena.physics`), and ``conformance`` judges
  them;
* the `Kernel` keeps time and runs the commands of agents (`COMMANDS`), referees and teams among them;
* a `Server` lets agents of other processes take part, a `Client` is their end (`biela.arena.wire`);
* robots, fields and rings are presets (`VSSS_ROBOTS`, `SUMO_ROBOTS`, `FOOTBALL_FIELDS`, `SUMO_RINGS`).

* `make` makes learning environments, `evolve` evolves behaviours, `league` rates players
  (`biela.arena.learning`); `biela.arena.localisation` estimates where a robot is.

Engines are the extra ``biela[arena]``. The room of tier 4: it imports `biela.simulate` and `biela.observe`.
"""

from biela.arena.agent import Agent
from biela.arena.broadcast import FILTERS, Broadcast, Seen
from biela.arena.calibration import Calibration, calibrate, source_tables
from biela.arena.command.registry import COMMANDS
from biela.arena.crew import Crew, Order
from biela.arena.fit import Fit, fit
from biela.arena.kernel import Kernel
from biela.arena.league import Contest, Table, elo, league
from biela.arena.learning.behaviour import Behaviour, Learned, Shooter, Wrestler
from biela.arena.learning.driver import Driver, Policy
from biela.arena.learning.evolution import Evolution, Fitness, evolve, unseen
from biela.arena.learning.game import Change, Game
from biela.arena.learning.registry import ENVIRONMENTS, make
from biela.arena.match import Match, Result, football, sumo
from biela.arena.message import Done, Drive, Message, Reply, Request
from biela.arena.physics.backend import Motion, Physics, Placement
from biela.arena.physics.conformance import conformance
from biela.arena.physics.registry import BACKENDS, backend
from biela.arena.physics.space import overlapping
from biela.arena.preset.field import BALLS, FOOTBALL_FIELDS, SUMO_RINGS, FootballField, SumoRing
from biela.arena.preset.omni import SSL_ROBOTS, OmniRobot
from biela.arena.preset.realism import REALISM, Realism
from biela.arena.preset.robot import SUMO_ROBOTS, VSSS_ROBOTS, TwoWheeler
from biela.arena.preset.sumbot import source_field, sumbot
from biela.arena.protocol.export import to_mcap, to_ssl_log
from biela.arena.protocol.firasim import FIRASIM, FiraSim
from biela.arena.protocol.link import Place
from biela.arena.protocol.protocol import Protocol
from biela.arena.protocol.serve import PROTOCOLS, serve
from biela.arena.protocol.ssl_control import SslControl
from biela.arena.protocol.ssl_log import read_ssl_log, write_ssl_log
from biela.arena.protocol.ssl_message import SSL
from biela.arena.protocol.ssl_sync import SslSync
from biela.arena.protocol.ssl_vision import SslVision
from biela.arena.protocol.vssref import VssReferee
from biela.arena.radio import Radio
from biela.arena.recording import Replay
from biela.arena.referee.football import FOOTBALL_RULES, FootballReferee, FootballRules
from biela.arena.referee.referee import Referee
from biela.arena.referee.sumo import SumoReferee, SumoRules
from biela.arena.scene.body import SHAPES, Body
from biela.arena.scene.document import load, save, schema
from biela.arena.scene.entity import ENTITIES, Entity
from biela.arena.scene.fault import SceneError
from biela.arena.scene.joint import JOINTS, Joint, Motor
from biela.arena.scene.mark import Mark
from biela.arena.scene.material import Interaction, Materials
from biela.arena.scene.scene import Scene
from biela.arena.scene.xml import read_requests, read_scene, write_requests, write_scene
from biela.arena.sensor.registry import SENSORS
from biela.arena.sensor.sensor import Reading, Sensor
from biela.arena.settings import Settings
from biela.arena.small_size import small_size
from biela.arena.strategy.registry import STRATEGIES, strategy
from biela.arena.strategy.strategy import Strategy
from biela.arena.strategy.view import Thing, View
from biela.arena.vision import Vision
from biela.arena.wire.client import Client
from biela.arena.wire.commander import Commander, commands
from biela.arena.wire.forms import FORMS
from biela.arena.wire.logger import Logger, heard
from biela.arena.wire.peer import Limits
from biela.arena.wire.schema import asked_schema, told_schema
from biela.arena.wire.server import TOURNAMENT, Server

__all__ = [
    "BACKENDS", "BALLS", "COMMANDS", "ENTITIES", "ENVIRONMENTS", "FILTERS", "FIRASIM", "FOOTBALL_FIELDS",
    "FOOTBALL_RULES", "FORMS", "JOINTS", "PROTOCOLS", "REALISM", "SENSORS", "SHAPES", "SSL", "SSL_ROBOTS",
    "STRATEGIES", "SUMO_RINGS", "SUMO_ROBOTS", "TOURNAMENT", "VSSS_ROBOTS", "Agent", "Behaviour", "Body",
    "Broadcast", "Calibration", "Change", "Client", "Commander", "Contest", "Crew", "Done", "Drive",
    "Driver", "Entity", "Evolution", "FiraSim", "Fit", "Fitness", "FootballField", "FootballReferee",
    "FootballRules", "Game", "Interaction", "Joint", "Kernel", "Learned", "Limits", "Logger", "Mark",
    "Match", "Materials", "Message", "Motion", "Motor", "OmniRobot", "Order", "Physics", "Place",
    "Placement", "Policy", "Protocol", "Radio", "Reading", "Realism", "Referee", "Replay", "Reply",
    "Request", "Result", "Scene", "SceneError", "Seen", "Sensor", "Server", "Settings", "Shooter",
    "SslControl", "SslSync", "SslVision", "Strategy", "SumoReferee", "SumoRing", "SumoRules", "Table",
    "Thing", "TwoWheeler", "View", "Vision", "VssReferee", "Wrestler", "asked_schema", "backend",
    "calibrate", "commands", "conformance", "elo", "evolve", "fit", "football", "heard", "league", "load",
    "make", "overlapping", "read_requests", "read_scene", "read_ssl_log", "save", "schema", "serve",
    "small_size", "source_field", "source_tables", "strategy", "sumbot", "sumo", "to_mcap", "to_ssl_log",
    "told_schema", "unseen", "write_requests", "write_scene", "write_ssl_log",
]  # fmt: skip
