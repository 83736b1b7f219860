"""A random tree in Pinocchio: a joint for each motion, bodies without mass between them."""

import numpy as np
import pinocchio as pin


def build(tree):
    """The model; its speeds are those of the tree, but angular velocities where a body has a quaternion."""
    model = pin.Model()
    model.gravity.linear = tree.gravity
    ends = []  # of each body: the joint that carries it, and the body's origin by components there
    for link in tree.links:
        joint, origin = ends[link.parent] if link.parent >= 0 else (0, np.zeros(3))
        at = origin + link.at
        motions = [m for m in link.motions if m[0] == "shift"] if link.quaternion else link.motions
        for motion, direction in motions:
            kind = {
                "turn": lambda a: pin.JointModelRevoluteUnaligned(a),
                "shift": lambda a: pin.JointModelPrismaticUnaligned(a),
                "screw": lambda a, link=link: pin.JointModelHelicalUnaligned(a, link.pitch / (2 * np.pi)),
            }[motion](direction / np.linalg.norm(direction))
            joint, at = model.addJoint(joint, kind, pin.SE3(np.eye(3), at), f"j{model.njoints}"), np.zeros(3)
        if link.quaternion:
            ball = pin.JointModelSpherical()
            joint, at = model.addJoint(joint, ball, pin.SE3(np.eye(3), at), f"j{model.njoints}"), np.zeros(3)
        origin = at - link.to
        inertia = pin.Inertia(link.mass, link.com, link.inertia)
        model.appendBodyToJoint(joint, inertia, pin.SE3(np.eye(3), origin))
        ends.append((joint, origin))
    return model


def state(tree, q, dq, ddq):
    """The state in Pinocchio's coordinates, and J with v = J dq: quaternions turn into angular velocities."""
    rows, configuration, v, a, k = [], [], [], [], 0
    for link in tree.links:
        plain = sum(m[0] == "shift" for m in link.motions) if link.quaternion else link.speeds
        own = np.arange(k, k + plain)
        rows += list(np.eye(tree.n)[own])
        configuration += list(q[own])
        if link.quaternion:
            e = q[k + plain : k + plain + 4]
            configuration += [*e[1:], e[0]]
            G = np.zeros((3, tree.n))
            G[:, k + plain : k + plain + 4] = 2.0 * np.array(
                [[-e[1], e[0], e[3], -e[2]], [-e[2], -e[3], e[0], e[1]], [-e[3], e[2], -e[1], e[0]]]
            )
            rows += list(G)
        k += link.speeds
    J = np.array(rows)
    v, a = J @ dq, J @ ddq
    return np.array(configuration), v, a, J


def on_the_sphere(tree, q, dq):
    """q and dq with every quaternion of length one, and its rate square to it."""
    q, dq, k = q.copy(), dq.copy(), 0
    for link in tree.links:
        k += link.speeds
        if link.quaternion:
            own = slice(k - 4, k)
            q[own] /= np.linalg.norm(q[own])
            dq[own] -= q[own] * (q[own] @ dq[own])
    return q, dq


def mass_matrix(model, configuration):
    """By inverse dynamics, a column at a time: crba wants joints in another order."""
    data, free = model.createData(), np.zeros(model.nv)
    model.gravity.linear, weight = np.zeros(3), model.gravity.linear.copy()
    columns = [pin.rnea(model, data, configuration, free, unit) for unit in np.eye(model.nv)]
    model.gravity.linear = weight
    return np.array(columns).T
