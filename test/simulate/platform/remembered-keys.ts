/**
 * Keys are derived from one seed again and again, by each isolate of each run. What is derived from the same bytes is the
 * same, so it is derived once for the whole process.
 */

type Derive = (this: Node, index: number) => unknown;
interface Node {
	readonly chainCode: Uint8Array | null;
	readonly privateKey: Uint8Array | null;
}
interface Keys {
	readonly prototype: { deriveChild: Derive };
	fromMasterSeed(seed: Uint8Array): unknown;
}
interface Words {
	mnemonicToSeedSync(words: string): Uint8Array;
}

/** @throws where a package that the service derives keys with is not among them */
export function rememberKeys(libraries: Record<string, unknown>): void {
	for (const name of ['@scure/bip32', 'micro-key-producer/slip10.js']) {
		const { HDKey } = libraries[name] as { readonly HDKey: Keys };
		const { deriveChild } = HDKey.prototype;
		const children = remembered(function (this: Node, index: number) {
			return deriveChild.call(this, index);
		});
		HDKey.prototype.deriveChild = function (index) {
			return children(`${textOf(this.chainCode)} ${textOf(this.privateKey)} ${index}`, this, index);
		};
		const fromMasterSeed = HDKey.fromMasterSeed.bind(HDKey);
		const masters = remembered((seed: Uint8Array) => fromMasterSeed(seed));
		HDKey.fromMasterSeed = (seed) => masters(textOf(seed), undefined, seed);
	}
	const words = libraries['@scure/bip39'] as Words;
	const { mnemonicToSeedSync } = words;
	const seeds = remembered((text: string) => mnemonicToSeedSync(text));
	// The platform's derivation takes as long as it likes, and so would make no two runs alike.
	libraries['@scure/bip39'] = {
		...words,
		mnemonicToSeedWebcrypto: async (text: string) => seeds(text, undefined, text),
	};
}

const textOf = (bytes: Uint8Array | null): string => Buffer.from(bytes ?? []).toString('latin1');

function remembered<This, Given, Found>(find: (this: This, given: Given) => Found) {
	const known = new Map<string, Found>();
	return (key: string, self: This, given: Given): Found => {
		const found = known.get(key);
		if (found !== undefined) return found;
		const made = find.call(self, given);
		known.set(key, made);
		return made;
	};
}
