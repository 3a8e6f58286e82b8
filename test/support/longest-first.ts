/**
 * The order of test files: the longest first, so that none of them is still running when all others are done. A run in
 * a clean checkout has no times of an earlier run to sort by. Files that share a service follow each other.
 */
import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files or groups of files that take the longest, by the beginning of their path; measured, the longest first. */
const LONGEST = [
	'nodes/strays',
	'nodes/monero.test',
	'nodes/returned-tokens',
	'nodes/monero-replaced',
	'nodes/monero-service',
	'nodes/overflows',
	'faults/restored-advice',
	'operator/strays',
	'nodes/failed-sweeps',
	'faults/setup',
	'nodes/families-swap',
	'nodes/solana-strays',
	'faults/followed-advice',
	'nodes/archived-arrivals',
	'nodes/treasury',
	'nodes/named-transactions',
	'pages/order',
	'nodes/cheap-hours',
	'nodes/overtaken-sweeps',
	'nodes/tron-strays',
	'faults/lying',
	'simulate/',
	'nodes/evm-unreadable',
	'faults/restore',
	'faults/signer-earnings',
	'nodes/unattributed',
	'faults/walks',
	'operator/screening',
	'nodes/solana-swap',
	'nodes/minimums',
	'faults/hostile-input',
	'spec/admission',
	'faults/silent-check',
	'faults/keys',
	'faults/bumped',
	'operator/archive',
	'spec/feeds',
	'nodes/swap',
	'nodes/',
	'faults/',
	'operator/',
	'unit/webhook-delivery',
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
