/** Which effect was struck by which fault, and how often: what was never struck shows nothing. */
import { FAULTS, type Fault, MISHAPS } from './faults.ts';

/** Effects that differ only in their tables are many; a table of all has more lines than anybody reads. */
const MOST_LINES = 60;

export class Coverage {
	readonly #struck = new Map<string, number>();

	add(struck: ReadonlyMap<string, number>): void {
		for (const [what, count] of struck) this.#struck.set(what, (this.#struck.get(what) ?? 0) + count);
	}

	lines(): string[] {
		const kinds = new Map<string, number[]>();
		for (const [what, count] of this.#struck) {
			const [kind = '', fault] = what.split(' · ');
			if (!fault) continue;
			const counts = kinds.get(kind) ?? FAULTS.map(() => 0);
			counts[FAULTS.indexOf(fault as Fault)] = count;
			kinds.set(kind, counts);
		}
		const sorted = [...kinds].sort((a, b) => sum(b[1]) - sum(a[1]));
		const missing = sorted.flatMap(([, counts]) => counts).filter((count) => count === 0).length;
		return [
			lineOf('effect', FAULTS),
			...sorted.slice(0, MOST_LINES).map(([kind, counts]) => lineOf(kind, counts)),
			...(sorted.length > MOST_LINES ? [`and ${sorted.length - MOST_LINES} further effects`] : []),
			`${kinds.size} effects, of which ${missing} pairs of effect and fault were not struck`,
			...MISHAPS.map((what) => lineOf(what, [this.#struck.get(what) ?? 0])),
			this.#shares(),
		];
	}

	/** Of a hundred faults so many are of each sort. */
	#shares(): string {
		const all = sum([...this.#struck.values()]) || 1;
		const sortOf = (what: string): string => what.split(' · ')[1] ?? 'mishaps';
		const counts = new Map<string, number>();
		for (const [what, count] of this.#struck) counts.set(sortOf(what), (counts.get(sortOf(what)) ?? 0) + count);
		const shares = [...FAULTS, 'mishaps'].map(
			(sort) => `${sort} ${((100 * (counts.get(sort) ?? 0)) / all).toFixed(1)}`,
		);
		return `of a hundred faults: ${shares.join(', ')}`;
	}
}

const sum = (counts: readonly number[]): number => counts.reduce((so, count) => so + count, 0);

const lineOf = (name: string, cells: readonly (string | number)[]): string =>
	`${name.slice(0, 62).padEnd(64)}${cells.map((cell) => String(cell).padStart(13)).join('')}`;
