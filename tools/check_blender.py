"""Runs inside Blender for check_blender.sh: imports the last baked frame of every format and compares them."""
import glob
import os
import sys

import bpy


def say(text):
    print("rill: " + text)


def import_obj(path):
    bpy.ops.wm.obj_import(filepath=path, forward_axis="Y", up_axis="Z")


def import_ply(path):
    # The importer in C came with Blender 3.6.
    if hasattr(bpy.types, "WM_OT_ply_import"):
        bpy.ops.wm.ply_import(filepath=path, forward_axis="Y", up_axis="Z")
    else:
        bpy.ops.import_mesh.ply(filepath=path)


def import_glb(path):
    # Blender 3.4 still asks NumPy for an alias that NumPy 1.24 no longer has, as Debian 12 combines them.
    import numpy
    if "bool" not in numpy.__dict__:
        numpy.bool = bool
    bpy.ops.import_scene.gltf(filepath=path)


def import_usda(path):
    bpy.ops.wm.usd_import(filepath=path)


def measure():
    """Triangles and the box of all meshes at the present frame, in the world's axes; fails on a face that looks down."""
    triangles, low, high = 0, [1e9] * 3, [-1e9] * 3
    graph = bpy.context.evaluated_depsgraph_get()
    for thing in bpy.context.scene.objects:
        if thing.type != "MESH":
            continue
        mesh = thing.evaluated_get(graph).to_mesh()
        triangles += len(mesh.polygons)
        turn = thing.matrix_world.to_3x3()
        for face in mesh.polygons:
            assert len(face.vertices) == 3, "a face that is no triangle"
            assert (turn @ face.normal).z > -1e-3, "a face that looks down"
        for vertex in mesh.vertices:
            place = thing.matrix_world @ vertex.co
            low = [min(a, b) for a, b in zip(low, place)]
            high = [max(a, b) for a, b in zip(high, place)]
    assert triangles, "no triangles"
    return triangles, low + high


def main():
    folder = sys.argv[sys.argv.index("--") + 1]
    results = {}
    say("Blender " + bpy.app.version_string)
    for name, function in (("obj", import_obj), ("ply", import_ply), ("glb", import_glb), ("usda", import_usda)):
        if name == "usda" and not bpy.app.build_options.usd:
            say("usda: NOT CHECKED, this Blender was built without USD (Debian's is)")
            continue
        bpy.ops.wm.read_factory_settings(use_empty=True)
        files = sorted(glob.glob(os.path.join(folder, name, "liquid_*." + name)))
        function(files[-1] if files else os.path.join(folder, name, "bake.usda"))
        if name == "usda":
            for thing in list(bpy.data.objects):
                if thing.type == "MESH" and not thing.name.startswith("Liquid"):
                    bpy.data.objects.remove(thing)
            bpy.context.scene.frame_set(10)
        results[name] = measure()
        say("%s: %d triangles, box %s" % (name, results[name][0], " ".join("%.6f" % x for x in results[name][1])))
    first = results["obj"]
    for name, found in results.items():
        assert found[0] == first[0], name + ": another number of triangles"
        assert all(abs(a - b) < 1e-6 for a, b in zip(found[1], first[1])), name + ": another size"
    say("all of them are the same")


main()
