/**
 * Can a recipient use what it gets? As on EVM networks (`evm/recipient.ts`); and no contract takes a plain transfer.
 */
import { eachOf } from '../rpc/each-of.ts';
import { accountOf, answersWord } from './accounts.ts';
import type { TronNode } from './node.ts';

const UNUSABLE = ['decimals()', 'totalSupply()', 'token0()', 'factory()', 'WETH()'] as const;
/** A function that nobody has: what answers it answers anything, which says nothing. */
const NOBODYS = 'nobodyHasThis()';

/** Why coins sent there cannot be used, as far as the node shows; null where it shows nothing. @throws ChainUnavailable */
export async function recipientProblem(node: TronNode, address: string, isCoin: boolean): Promise<string | null> {
	const { isContract } = await accountOf(node, address);
	if (!isContract) return null;
	// java-tron refuses a plain transfer to a contract (getForbidTransferToContract).
	if (isCoin) return `${address} is a contract and accepts no plain transfer`;
	const [anything, ...answers] = await eachOf([NOBODYS, ...UNUSABLE], (name) => answersWord(node, address, name));
	return !anything && answers.includes(true)
		? `${address} is a contract of a token, a pair or a router: coins sent there are lost`
		: null;
}
