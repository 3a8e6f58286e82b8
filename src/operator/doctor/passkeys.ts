/** Whether persons are asked for their passkeys before the reserve moves. Where real coins move, it is wrong that nobody is. */
import { worldOf } from '../../chains/configuration.ts';
import { fine, type Part, unknown, wrong } from './row.ts';

const WHAT = ['keys', 'passkeys'] as const;
const TODO =
	'`passkey NAME` makes the entry; then npx wrangler secret put OPERATOR_PASSKEYS -c src/signer/wrangler.toml';

export const passkeys: Part = async ({ context: { env }, signer }) => {
	const { state } = await signer();
	if (!state.passkeys)
		return [unknown(...WHAT, 'OPERATOR_PASSKEYS of the signer is malformed, so nothing is confirmed', TODO)];
	const { persons, passkeys: count, twoAboveUsd } = state.passkeys;
	if (persons === 0) {
		const nobody = 'no person is asked: the operator’s token alone moves the reserve';
		return [worldOf(env) === 'main' ? wrong(...WHAT, nobody, TODO) : fine(...WHAT, nobody)];
	}
	if (twoAboveUsd !== null && persons < 2)
		return [
			wrong(
				...WHAT,
				`two persons are asked above ${twoAboveUsd} USD, and there is one`,
				'`passkey NAME` makes the entry of another person',
			),
		];
	const above = twoAboveUsd === null ? '' : `, two of them above ${twoAboveUsd} USD`;
	return [fine(...WHAT, `${persons} ${persons === 1 ? 'person' : 'persons'} with ${count} in all are asked${above}`)];
};
