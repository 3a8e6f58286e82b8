/**
 * The order of test files: the longest first, so that none of them is still running when all others are done. A run in
 * a clean checkout has no times of an earlier run to sort by.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files or groups of files that take the longest, by the beginning of their path; measured, the longest first. */
const LONGEST = [
	...['nodes/monero-', 'nodes/families-swap', 'nodes/treasury', 'nodes/swap', 'nodes/payout-', 'nodes/utxo-'],
	...['faults/setup', 'faults/hostile-input', 'faults/restart', 'faults/bad-hour', 'faults/lying', 'faults/restore'],
	...['spec/admission', 'unit/webhook-delivery', 'nodes/'],
];

const rankOf = ({ moduleId }: TestSpecification): number => {
	const rank = LONGEST.findIndex((path) => moduleId.includes(`/test/${path}`));
	return rank < 0 ? LONGEST.length : rank;
};

export class LongestFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const sorted = await super.sort(files);
		return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
	}
}
