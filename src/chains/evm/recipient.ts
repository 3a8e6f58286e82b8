/**
 * Can a recipient use what it gets? A wallet that is a contract is a wallet (a Safe, an account of ERC-4337, a key that is
 * delegated by EIP-7702). What answers as tokens, pairs and routers do can pass nothing on, and coins sent there are lost.
 */
import { PaymentImpossible } from '../errors.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { ask } from './node.ts';
import { BYTES, TRUE, WORD } from './shapes.ts';

/** `0xef0100` and the address of the code that a key is delegated to. */
const DELEGATED = /^0xef0100[0-9a-f]{40}$/i;

interface Question {
	/** The selector, and its argument. */
	readonly data: string;
	readonly means: RegExp;
}

const supports = (id: string): Question => ({ data: `0x01ffc9a7${id.padEnd(64, '0')}`, means: TRUE });

/** decimals(), totalSupply(), token0(), factory(), WETH(), WETH9(); the interfaces of ERC-721 and ERC-1155. */
const UNUSABLE: readonly Question[] = [
	...['0x313ce567', '0x18160ddd', '0x0dfe1681', '0xc45a0155', '0xad5c4648', '0x4aa4a4fc'].map((data) => ({
		data,
		means: WORD,
	})),
	supports('80ac58cd'),
	supports('d9b67a26'),
];
/** entryPoint() of accounts; and a function that nobody has: what answers that answers anything, which says nothing. */
const USABLE: readonly Question[] = ['0xb0d691fe', '0x7c9e2a51'].map((data) => ({ data, means: WORD }));

/** A key that is delegated to code is no contract. @throws ChainUnavailable */
export async function isContract(rpc: JsonRpc, address: string): Promise<boolean> {
	const code = await ask(rpc, BYTES, 'eth_getCode', address, 'latest');
	return code !== '0x' && !DELEGATED.test(code);
}

/** Why coins sent there cannot be used, as far as the node shows; null where it shows nothing. @throws ChainUnavailable */
export async function recipientProblem(rpc: JsonRpc, address: string): Promise<string | null> {
	if (!(await isContract(rpc, address))) return null;
	const questions = [...UNUSABLE, ...USABLE];
	const answers = await rpc.batch(
		questions.map(({ data }) => ({ method: 'eth_call', params: [{ to: address, data }, 'latest'] })),
	);
	const isYes = questions.map(({ means }, i) => means.test(String(answers[i])));
	const isUnusable = isYes.slice(0, UNUSABLE.length).includes(true) && !isYes.slice(UNUSABLE.length).includes(true);
	return isUnusable ? `${address} is a contract of a token, a pair or a router: coins sent there are lost` : null;
}

/** @throws PaymentImpossible, ChainUnavailable */
export async function requireRecipient(rpc: JsonRpc, address: string): Promise<void> {
	const problem = await recipientProblem(rpc, address);
	if (problem) throw new PaymentImpossible(problem);
}
