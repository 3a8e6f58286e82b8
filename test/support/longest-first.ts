/**
 * The order of test files: the longest first, so that none of them is still running when all others are done. A run in
 * a clean checkout has no times of an earlier run to sort by. Files that share a service follow each other.
 */
import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files or groups of files that take the longest, by the beginning of their path; measured, the longest first. */
const LONGEST = [
	'nodes/monero-killed',
	'nodes/returned-tokens',
	'nodes/monero',
	'nodes/strays',
	'nodes/overflows',
	'nodes/archived-arrivals',
	'nodes/failed-sweeps',
	'nodes/solana-strays',
	'nodes/tron-strays',
	'nodes/cheap-hours',
	'faults/restored-advice',
	'nodes/overtaken-sweeps',
	'faults/keys',
	'operator/strays',
	'faults/followed-advice',
	'nodes/treasury',
	'nodes/named-transactions',
	'nodes/families-swap',
	'faults/setup',
	'nodes/minimums',
	'pages/order',
	'faults/signer-',
	'faults/walks',
	'faults/lying',
	'faults/silent-check',
	'operator/screening',
	'faults/stray-restores',
	'simulate/',
	'nodes/',
	'faults/',
	'operator/',
	'unit/webhook-delivery',
	'spec/feeds',
];

const rankOf = ({ moduleId }: TestSpecification): number => {
	if (readFileSync(moduleId, 'utf8').includes(' = sharedService(')) return LONGEST.length;
	const rank = LONGEST.findIndex((path) => moduleId.includes(`/test/${path}`));
	return rank >= 0 ? rank : LONGEST.length + 1;
};

export class LongestFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const ranks = new Map(files.map((file) => [file, rankOf(file)]));
		const sorted = await super.sort(files);
		return sorted.toSorted((one, other) => (ranks.get(one) ?? 0) - (ranks.get(other) ?? 0));
	}
}
