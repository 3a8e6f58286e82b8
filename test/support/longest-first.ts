/**
 * The order of test files: the longest first, so that none of them is still running when all others are done. A run in
 * a clean checkout has no times of an earlier run to sort by. Files that share a service follow each other.
 */
import { readFileSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files or groups of files that take the longest, by the beginning of their path; measured, the longest first. */
const LONGEST = [
	// Makes the chain that the swaps of all families start from.
	'nodes/monero',
	'faults/setup',
	'nodes/treasury',
	'faults/restart',
	'checks/plans',
	'faults/lying',
	'nodes/families-swap',
	'nodes/evm-unreadable',
	'unit/webhook-delivery',
	'spec/admission',
	'simulate/',
	'nodes/swap',
	'faults/signer-earnings',
	'faults/shared-addresses',
	'operator/archive',
	'faults/keys',
	'faults/restore',
	'faults/hostile-input',
	'pages/order',
	'nodes/solana-swap',
	'spec/feeds',
	'operator/attention',
	'faults/bad-hour',
	'checks/bundles',
	'operator/screening',
	'pages/console',
	'faults/',
	'nodes/',
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
