// Runs in Node.js for check_usd.sh: what TinyUSDZ has read of a baked .usda is what was written.
import assert from "assert";
import { readFileSync } from "fs";

const [library, path] = process.argv.slice(2);

// The library was built for browsers only, and looks for one.
process.type = "renderer";
globalThis.window = globalThis;

// The numbers of each sample of the liquid: samples.get("points").get(3) and so on, as floats.
function samplesOf(text) {
    const samples = new Map();
    let attribute = null, liquid = false;
    for (const line of text.split("\n")) {
        const prim = line.match(/def Mesh "(.*)"/);
        const begin = line.match(/ ([\w:]+)\.timeSamples = {/);
        const sample = line.match(/^\s*([\d.]+): (.*),$/);
        if (prim) liquid = prim[1] === "Liquid";
        if (begin) attribute = begin[1];
        if (!liquid || !attribute || !sample) continue;
        if (!samples.has(attribute)) samples.set(attribute, new Map());
        samples.get(attribute).set(Number(sample[1]), Float32Array.from(sample[2].match(/[-+.\de]+/g) ?? [], Number));
    }
    return samples;
}

const { default: make } = await import("./tinyusdz.mjs");
const usd = await make({ wasmBinary: readFileSync(library) });

// As a scene: its meshes, at the first time.
const scene = new usd.TinyUSDZLoaderNative();
assert(scene.loadFromBinary(readFileSync(path), "bake.usda"), scene.error());
const names = Array.from({ length: scene.numMeshes() }, (_, i) => scene.getMesh(i).absPath);
const first = scene.getMesh(names.indexOf("/Rill/Liquid"));
assert(first.points.length > 0 && first.points.length === first.normals.length, "no points, or other normals");

// As a layer: all samples in time, of everything that is baked.
const layer = new usd.TinyUSDZLoaderNative();
assert(layer.loadAsLayerFromBinary(readFileSync(path), "bake.usda"), layer.error());
const written = samplesOf(readFileSync(path, "utf8")), read = samplesOf(layer.layerToString());
const wanted = ["extent", "faceVertexCounts", "faceVertexIndices", "normals", "points", "velocities",
    "primvars:displayOpacity", "primvars:depth", "primvars:wetness", "primvars:layer"];
const times = written.get("points").size;
assert(times > 2, "hardly any samples");
for (const name of wanted) {
    assert.equal(written.get(name)?.size, times, name + ": another number of samples was written");
    assert.deepEqual(read.get(name), written.get(name), name + ": something else was read");
}
const sizes = [...read.get("points").values()].map((values) => values.length / 3);
console.log(`usda: ${names.length} meshes; the liquid at ${times} times, ${sizes[0]} to ${sizes.at(-1)} points`);
console.log(`the same in ${wanted.join(", ")}`);
