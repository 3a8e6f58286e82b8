/**
 * Makes the hot wallet of a signer an account of two judges. A mistake locks the account for ever, so nothing is sent unless
 * the account is an ordinary one, can pay for it, and both keys are known.
 */
import { hex } from '@scure/base';
import type { NetworkOf } from '../../catalog/networks.ts';
import { signatureOf } from '../account-message.ts';
import type { NodeConfig } from '../configuration.ts';
import type { Judges } from '../judge-keys.ts';
import { accountOf } from './accounts.ts';
import { broadcast } from './broadcast.ts';
import { tipsOf } from './depth.ts';
import { pricesOf } from './fees.ts';
import { addressesOf, hotKey } from './keys.ts';
import { type TronNode, useNodes } from './node.ts';
import { tronParams } from './params.ts';
import { rawPermissionUpdate } from './permission-update.ts';
import { permissionProblem } from './permissions.ts';
import { bandwidthOf, frameOn, signedTransaction, transactionId } from './transaction.ts';

/** Sun that the update burns (`getUpdateAccountPermissionFee`); a chain that asks more refuses it. */
const UPDATE_FEE = 100_000_000n;

export interface Guarding {
	readonly account: string;
	/** The keys of the signer and of the co-signer. */
	readonly keys: readonly [string, string];
	/** Null where the account needs both keys already, and nothing is left to do. */
	readonly update: { readonly raw: string; readonly txId: string; readonly sun: bigint } | null;
	/** Sends the update. @throws BroadcastRejected, ChainUnavailable */
	send(): Promise<void>;
	/** Why the account does not need both, by the node; null where it does. @throws ChainUnavailable */
	problem(): Promise<string | null>;
}

/** `seed`: the signer's. @throws Error, one line, where the account may not be changed; ChainUnavailable */
export async function guarding(
	network: NetworkOf<'tron'>,
	nodes: NodeConfig,
	seed: Uint8Array,
	{ other }: Pick<Judges, 'other'>,
): Promise<Guarding> {
	const hot = hotKey(seed);
	const account = hot.address;
	const use = useNodes(tronParams(network, account), nodes);
	const keys = [account, addressesOf(other).hotAddress()] as const;
	if (keys[0] === keys[1]) throw new Error('both judges have the same seed');
	const problem = () => use((node) => permissionProblem(node, account, keys));
	const updateOn = async (node: TronNode): Promise<NonNullable<Guarding['update']>> => {
		const { exists, balance, needsBoth } = await accountOf(node, account);
		if (needsBoth) throw new Error(`${account} needs other keys already: look at it before anything else`);
		const { head, solid } = await tipsOf(node);
		const raw = rawPermissionUpdate(account, keys, frameOn(solid, head.timestamp, 'guard'));
		const sun = UPDATE_FEE + BigInt(bandwidthOf(raw)) * (await pricesOf(node)).bandwidth;
		if (!exists || balance < sun) throw new Error(`${account} holds ${balance} sun, and the update takes ${sun}`);
		const txId = transactionId(raw);
		return { raw: signedTransaction(raw, signatureOf(hex.decode(txId), hot.privateKey)), txId, sun };
	};
	const update = (await problem()) === null ? null : await use(updateOn);
	return {
		account,
		keys,
		update,
		problem,
		async send() {
			if (update) await use((node) => broadcast(node, update.raw));
		},
	};
}
