/**
 * Monero through a real monerod, the view-only wallet and the cold wallet. Starting these takes ten seconds of a core,
 * so all tests of Monero share them.
 */
import { afterAll, beforeAll, describe } from 'vitest';
import { type MoneroWallets, startMoneroWallets } from '../support/monero-wallets.ts';
import { isInstalled } from '../support/nodes.ts';
import { deposits } from './monero/deposits.ts';
import { payments } from './monero/payments.ts';
import { reserves } from './monero/reserves.ts';
import { smallCoins } from './monero/small-coins.ts';

let wallets: MoneroWallets;

beforeAll(async () => {
	wallets = await startMoneroWallets();
}, 300_000);

afterAll(() => wallets?.stop());

const isMissing = !isInstalled('monerod') || !isInstalled('monero-wallet-rpc');

// The small coins come first, for they are to be the only ones; the payments last, for they leave frozen coins behind.
for (const define of [smallCoins, reserves, deposits, payments])
	describe.skipIf(isMissing)('Monero', () => define(() => wallets));
