/** `verify`: is a signed promise, as a file, of a key that is trusted? It asks no service, and needs no token. */
import {
	type PromiseKeys,
	type PromiseStatement,
	type SignedPromise,
	verifyPromise,
} from '../../sdk/verify-promise.ts';
import type { VerifyOptions } from './proof-options.ts';
import { readJson, ServiceError } from './service.ts';

/** The promise in words, for a person. @throws ServiceError where it proves nothing */
export async function verifiedPromise({ file, keys, published, id }: VerifyOptions): Promise<string> {
	const links = published === undefined ? null : (readJson(published) as PromiseKeys | null);
	return linesOf(await promiseIn(file, { trusted: keys, published: links, expected: { id } })).join('\n');
}

/** @throws ServiceError where it proves nothing */
export const promiseIn = (file: string, options: Parameters<typeof verifyPromise>[1]): Promise<PromiseStatement> =>
	verifyPromise(readJson(file) as SignedPromise | null, options).catch((error: Error) => {
		throw new ServiceError(`${file} proves nothing: ${error.message}`);
	});

const linesOf = ({ at, id, from, to, back, floor, marginBps, payments }: PromiseStatement): string[] => [
	`Signed ${new Date(at * 1_000).toISOString()} with a key that you trust.`,
	`Order ${id}`,
	`takes    ${from.code} on ${from.network} at ${from.address}`,
	`pays     ${to.code} on ${to.network} to ${to.address}, at the rate less ${marginBps} basis points`,
	...(floor ? [`where it is not less than ${floor.minToAmount} for ${floor.fromAmount}`] : []),
	`or sends ${from.code} back to ${back.address}`,
	...payments.map(
		({ kind, amount, code, txId, deposits }) =>
			`${kind === 'payout' ? 'paid' : 'sent back'} ${amount ?? '?'} ${code ?? ''} in ${txId}, for ${deposits.map((each) => `${each.amount} in ${each.txId}`).join(', ')}`,
	),
	...(payments.length === 0 ? ['Until then it had signed no payment.'] : []),
];
