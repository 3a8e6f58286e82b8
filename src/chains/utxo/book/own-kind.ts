/** Which scripts, and which keys or scripts of two keys, could be ours, by the network's own kind of address. Pure. */
import { hex } from '@scure/base';
import { scriptOf } from '../address.ts';
import { hashInOwn, lockHash } from '../own-script.ts';
import type { UtxoParams } from '../params.ts';
import type { OwnKind } from './coin-book.ts';

export const ownKind = ({ ownScript }: UtxoParams): OwnKind => ({
	hashIn(script) {
		const hash = hashInOwn(script, ownScript);
		return hash && hex.encode(hash);
	},
	hashOf: (lock) => hex.encode(lockHash(lock, ownScript)),
});

/** By address; addresses of another kind are absent. */
export function lockHashes(addresses: readonly string[], params: UtxoParams): Map<string, string> {
	const { hashIn } = ownKind(params);
	return new Map(
		addresses.flatMap((address) => {
			const script = scriptOf(address, params);
			const hash = script && hashIn(script);
			return hash ? [[address, hash] as const] : [];
		}),
	);
}
