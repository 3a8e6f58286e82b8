/**
 * Recipients that cannot use what they get are refused when an order is made, by what a node shows of them; wallets that
 * are contracts are wallets. Ethereum is anvil, Solana has the real virtual machine; the other side is the sandbox's.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PaymentImpossible } from '../../src/chains/errors.ts';
import { type Relay, startRelay } from '../support/anvil.ts';
import { CUSTOMER, type Ethereum, signing, startEthereum } from '../support/ethereum.ts';
import { create, LTC_REFUND, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { eventually, startTestService, type TestService, takeBeyondReserve } from '../support/service.ts';
import { type SolanaNode, startSolanaNode } from '../support/solana-node.ts';
import { placeTokens, SYSTEM_PROGRAM, solanaWallet } from '../support/solana-wallet.ts';
import { type ContractName, installContract, installToken } from '../support/tokens.ts';

const REFUSED = '{"code":1,"msg":"INVALID_REQUEST"}';
const SOL = 1_000_000_000n;
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const LOADER = 'BPFLoaderUpgradeab1e11111111111111111111111';
const PATIENCE = 60_000;

describe('a recipient', () => {
	let ethereum: Ethereum;
	let solana: SolanaNode;
	let relay: Relay;
	let service: TestService;
	let partner: Credentials;
	let lastContract = 0;

	beforeAll(async () => {
		ethereum = await startEthereum('Ethereum', 'regtest');
		solana = await startSolanaNode({ slotMilliseconds: 200, finalizedAfter: 8 });
		relay = await startRelay(solana.url);
		service = await startTestService({
			NODE_URL_ETHEREUM: ethereum.relay.url,
			NODE_POLL_SECONDS_ETHEREUM: '1',
			NODE_URL_SOLANA: relay.url,
			NODE_CHAIN_SOLANA: 'regtest',
			NODE_POLL_SECONDS_SOLANA: '1',
		});
		solana.place(await service.hotAddress('Solana'), { owner: SYSTEM_PROGRAM, lamports: 1_000n * SOL });
		await ethereum.pay(await service.hotAddress('Ethereum'), 10n ** 19n);
		await takeBeyondReserve(service, 'ETH', 'SOL');
		partner = await createPartner(service, { weightPerMinute: 1_000_000 });
		await eventually(
			'orders of both networks to be taken',
			async () => {
				const [eth, sol] = [
					await paying('ETH', CUSTOMER),
					await refunding('SOL', (await solanaWallet(solana, SOL)).address),
				];
				return eth.code === 0 && sol.code === 0;
			},
			PATIENCE,
		);
	}, 5 * PATIENCE);
	afterAll(async () => {
		await service?.local.stop();
		await Promise.all([ethereum?.stop(), relay?.stop(), solana?.stop()]);
	});

	const paying = (toCcy: 'ETH' | 'SOL', toAddress: string) => create(service, partner, { toCcy, toAddress });
	const refunding = (fromCcy: 'ETH' | 'SOL', refundAddress: string) =>
		create(service, partner, {
			fromCcy,
			toCcy: 'LTC',
			direction: 'to',
			amount: '2',
			toAddress: LTC_REFUND,
			refundAddress,
		});
	const newAddress = (): string => `0xc0de${String(++lastContract).padStart(36, '0')}`;
	const contract = async (name: ContractName): Promise<string> => {
		const address = newAddress();
		await installContract(ethereum.anvil, name, address);
		return address;
	};

	it.each(['Token', 'SilentToken', 'Pair', 'Router'] as const)(
		'that is a contract like %s is refused, for payouts and refunds, and by the signer',
		async (name) => {
			const address = await contract(name);
			expect((await paying('ETH', address)).text).toBe(REFUSED);
			expect((await refunding('ETH', address)).text).toBe(REFUSED);
			const payment = { id: 'payment', asset: 'ETH', to: address, amount: 1n } as const;
			await expect(ethereum.signer.sign(payment, signing())).rejects.toThrow(PaymentImpossible);
		},
	);

	it('that is a token of another bridge is refused, whatever the letters of its address', async () => {
		const address = newAddress();
		await installToken(ethereum.anvil, 'USDCERC20', { address });
		for (const text of [address, `0x${address.slice(2).toUpperCase()}`])
			expect((await paying('ETH', text)).text).toBe(REFUSED);
	});

	it.each(['Wallet', 'Account', 'Talker'] as const)('that is a contract like %s is a wallet', async (name) => {
		const address = await contract(name);
		expect((await paying('ETH', address)).code).toBe(0);
		expect((await refunding('ETH', address)).code).toBe(0);
	});

	it('that is a key with the code of a token, by EIP-7702, is a wallet, and is paid', async () => {
		const token = await contract('Token');
		const address = newAddress();
		await ethereum.anvil.rpc('anvil_setCode', address, `0xef0100${(await contract('Wallet')).slice(2)}`);
		const { data: order } = await paying('ETH', address);
		await service.operator('sandbox/deposit', { orders: [order.id] });
		await untilStatus(service, partner, order, 'DONE', PATIENCE);
		await ethereum.anvil.rpc('anvil_setCode', address, `0xef0100${token.slice(2)}`);
		expect((await paying('ETH', address)).code).toBe(0);
	});

	it('on Solana that is a program, a mint or a token account is refused', async () => {
		const [program, mint, tokens] = await Promise.all(
			[0, 1, 2].map(async () => (await solanaWallet(solana, SOL)).address),
		);
		const wallet = await solanaWallet(solana, SOL);
		solana.place(program ?? '', { owner: LOADER, lamports: SOL, data: new Uint8Array(36) });
		solana.placeMint(mint ?? '', 6, wallet.address);
		await placeTokens(solana, mint ?? '', wallet.address, 1n);
		solana.place(tokens ?? '', { owner: TOKEN_PROGRAM, lamports: SOL, data: new Uint8Array(165) });
		for (const address of [program, mint, tokens]) {
			expect((await paying('SOL', address ?? '')).text).toBe(REFUSED);
			expect((await refunding('SOL', address ?? '')).text).toBe(REFUSED);
		}
		expect((await paying('SOL', wallet.address)).code).toBe(0);
	});

	it('is taken while no node says what it is, and the signer does not pay it', async () => {
		const address = await contract('Token');
		ethereum.relay.intercept(({ method, params }) =>
			method === 'eth_getCode' && params[0] === address
				? { error: { code: -32000, message: 'the node is busy' } }
				: undefined,
		);
		const { data: order, code } = await paying('ETH', address);
		expect(code).toBe(0);
		await eventually('it to be logged', async () => service.logged('recipient_not_checked').length > 0);
		ethereum.relay.intercept(() => undefined);
		await service.operator('sandbox/deposit', { orders: [order.id] });
		const facts = await eventually(
			'the payout to be blocked',
			async () => {
				const [row] = await service.sql<{ facts: string | null }>(
					'SELECT blocked_facts AS facts FROM transactions WHERE order_id = ?',
					order.id,
				);
				return row?.facts;
			},
			PATIENCE,
		);
		expect(facts).toContain('coins sent there are lost');
	});
});
