/** Derives a value from a seed once, for as long as the seed is in memory. For the signer only. */
export function oncePerSeed<T>(derive: (seed: Uint8Array) => T): (seed: Uint8Array) => T {
	const known = new WeakMap<Uint8Array, { readonly derived: T }>();
	return (seed) => {
		const found = known.get(seed) ?? { derived: derive(seed) };
		known.set(seed, found);
		return found.derived;
	};
}
