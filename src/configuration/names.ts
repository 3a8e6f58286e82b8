/** Names that look like a variable of this service and are none: mistyped ones, mostly. Pure. */
import { BY_NAME } from './variables.ts';

/** Nothing else on a machine begins like this. */
const OURS =
	/^(?:NODE_(?:URL|CHAIN|POLL|HEADER)|WITHDRAW_TO|CONFIRMATIONS|MONERO_\w+_URL|SIGNER_DAILY|SIGNER_RATE|SEAL_KEY|SECRETS_KEY|API_KEY_KEY)/;
/** Shorter names are too much like other programs' names. */
const SHORTEST = 8;
/** Letters that may be wrong, missing or too many in a name that is taken for a mistyped one. */
const MOST_WRONG = 2;

export interface UnknownName {
	readonly name: string;
	/** The variable that was probably meant; null where none is near. */
	readonly nearest: string | null;
}

export function unknownNames(names: readonly string[]): UnknownName[] {
	return names
		.filter((name) => !BY_NAME.has(name))
		.flatMap((name): UnknownName[] => {
			const isOurs = OURS.test(name);
			if (!isOurs && name.length < SHORTEST) return [];
			// A name of ours may be further off: it is wrong in any case.
			const nearest = nearestOf(name, isOurs ? name.length / 2 : MOST_WRONG);
			return isOurs || nearest ? [{ name, nearest }] : [];
		});
}

function nearestOf(name: string, most: number): string | null {
	const [best] = [...BY_NAME.keys()]
		.filter((known) => Math.abs(known.length - name.length) <= most)
		.map((known) => ({ known, wrong: distance(name, known) }))
		.toSorted((one, other) => one.wrong - other.wrong);
	return best && best.wrong <= most ? best.known : null;
}

/** Levenshtein's: letters to change, add or remove. */
function distance(one: string, other: string): number {
	let row = Array.from({ length: other.length + 1 }, (_, i) => i);
	for (const [i, letter] of [...one].entries()) {
		const next = [i + 1];
		for (let j = 0; j < other.length; j++) {
			const changed = (row[j] ?? 0) + (letter === other[j] ? 0 : 1);
			next.push(Math.min(changed, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
		}
		row = next;
	}
	return row[other.length] ?? 0;
}
