// SPDX-License-Identifier: GPL-2.0-only
// A tree that grows by one node at a time, in typed arrays with a hash table: a million nodes take less than
// a second. Node 0 is the root; a caller always has a smaller number than what it calls.

// most: how many nodes it is likely to have. Of a large tree the table is smaller, for the sake of caches.
function treeNew(most) {
	const capacity = Math.max(1024, 2 ** Math.ceil(Math.log2(most + 1)));
	return {
		count: 1, capacity,
		parent: new Int32Array(capacity), key: new Int32Array(capacity),
		self: new Float64Array(capacity), base: new Float64Array(capacity), // base: of a difference
		slots: new Int32Array(2 * capacity),
	};
}

function treeGrow(tree) {
	tree.capacity *= 2;
	for (const name of ["parent", "key", "self", "base"]) {
		const larger = new tree[name].constructor(tree.capacity);
		larger.set(tree[name]);
		tree[name] = larger;
	}
	tree.slots = new Int32Array(4 * tree.capacity);
	for (let id = 1; id < tree.count; id++)
		tree.slots[treeSlot(tree, tree.parent[id], tree.key[id])] = id;
}

function treeSlot(tree, parent, key) {
	const mask = tree.slots.length - 1;
	let slot = (Math.imul(parent, 0x9e3779b1) ^ Math.imul(key + 1, 0x85ebca6b)) >>> 0;
	slot = (slot ^ slot >>> 15) & mask;
	for (;;) {
		const id = tree.slots[slot];
		if (!id || (tree.parent[id] === parent && tree.key[id] === key))
			return slot;
		slot = slot + 1 & mask;
	}
}

// The callee of this key, which is added if it is not there.
function treeChild(tree, parent, key) {
	let slot = treeSlot(tree, parent, key);
	if (tree.slots[slot])
		return tree.slots[slot];
	if (tree.count === tree.capacity) {
		treeGrow(tree);
		slot = treeSlot(tree, parent, key);
	}
	tree.parent[tree.count] = parent;
	tree.key[tree.count] = key;
	tree.slots[slot] = tree.count;
	return tree.count++;
}

function treeSums(tree, values) {
	const sums = values.slice(0, tree.count);
	for (let id = tree.count - 1; id > 0; id--)
		sums[tree.parent[id]] += sums[id];
	return sums;
}

// Totals, and the callees of each node: tree.order from tree.first[id] to tree.first[id + 1], largest first.
// size: how wide it is drawn, which in a difference leaves room for what is gone. scale: of the base.
function treeFinish(tree, scale) {
	const {count, parent} = tree;
	tree.total = treeSums(tree, tree.self);
	tree.baseTotal = treeSums(tree, tree.base);
	const larger = (self, id) => Math.max(self, scale * tree.base[id]);
	tree.size = scale ? treeSums(tree, tree.self.map(larger)) : tree.total;
	tree.first = new Int32Array(count + 1);
	for (let id = 1; id < count; id++)
		tree.first[parent[id] + 1]++;
	for (let id = 0; id < count; id++)
		tree.first[id + 1] += tree.first[id];
	const next = tree.first.slice();
	tree.order = new Int32Array(count);
	for (let id = 1; id < count; id++)
		tree.order[next[parent[id]]++] = id;
	for (let id = 0; id < count; id++)
		if (tree.first[id + 1] - tree.first[id] > 1)
			tree.order.subarray(tree.first[id], tree.first[id + 1])
				.sort((a, b) => tree.size[b] - tree.size[a] || a - b);
	tree.slots = null; // it does not grow any more
	return tree;
}

function treeCallees(tree, id) {
	return tree.order.subarray(tree.first[id], tree.first[id + 1]);
}
