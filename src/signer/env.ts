/**
 * Bindings and configuration of the signer Worker (`src/signer/wrangler.toml`). Of the API Worker's keys it has only
 * `SEAL_KEY`, with its number.
 */
import type { NetworkName } from '../catalog/networks.ts';
import type { ChainConfiguration } from '../chains/configuration.ts';
import type { JudgeVariables } from '../chains/judges.ts';
import type { WalletContainer } from '../chains/monero/wallet-container.ts';
import type { SandboxLedger } from '../chains/sandbox/ledger.ts';
import type { SandboxPrices } from '../chains/sandbox/prices.ts';
import type { KeyVariables } from '../crypto/key-ring.ts';
import type { CosignerEnd } from '../link/cosigner.ts';
import type { Observed } from '../platform/metrics/observe.ts';
import type { Regional } from '../platform/region.ts';
import type { SignerService } from '../ports/signer.ts';
import type { JournalVolume } from './journal/volume.ts';

export type SignerEnv = ChainConfiguration &
	KeyVariables &
	Pick<Observed, 'LOG_LEVEL'> &
	JudgeVariables &
	CosignerEnd &
	Regional & {
		readonly DB: D1Database;
		/** Which version of the code this is. */
		readonly VERSION?: WorkerVersionMetadata;
		readonly VAULT: DurableObjectNamespace<SignerService & Rpc.DurableObjectBranded>;
		/** Objects with the older entries of the vault's journal. */
		readonly JOURNAL_VOLUME: DurableObjectNamespace<JournalVolume>;
		readonly SANDBOX_LEDGER: DurableObjectNamespace<SandboxLedger>;
		readonly SANDBOX_PRICES: DurableObjectNamespace<SandboxPrices>;
		/** Objects of the wallets Worker; not bound where Monero's wallets are elsewhere. */
		readonly MONERO_WALLET?: DurableObjectNamespace<WalletContainer & Rpc.DurableObjectBranded>;
		readonly MONERO_COLD_WALLET?: DurableObjectNamespace<WalletContainer & Rpc.DurableObjectBranded>;
		/** Secret: BIP-39 words, as `chains/seed.ts` wants them. Pay-in addresses and hot wallet are accounts of it. */
		readonly SEED: string;
		/**
		 * The most that the signer pays out in a UTC day, US dollars, whatever D1 says. As soon as a network runs on
		 * nodes, nothing is signed until it is set. With the sandbox alone the default is 1 000 000.
		 */
		readonly SIGNER_DAILY_CAP_USD?: string;
		/** The most that refunds take in a UTC day, US dollars. Default: five times the cap of payouts. */
		readonly SIGNER_DAILY_REFUND_CAP_USD?: string;
		/** The most that withdrawals take in a UTC day, US dollars. Default: the cap of payouts. */
		readonly SIGNER_DAILY_WITHDRAW_CAP_USD?: string;
		/** When each key of promises gave way to the next: Unix seconds, rising, with commas between them. Default: never. */
		readonly PROMISE_KEYS_CHANGED_AT?: string;
		/** Who confirms what moves the reserve (`persons/passkeys.ts`). Not set: nobody is asked. No other Worker may have it. */
		readonly OPERATOR_PASSKEYS?: string;
		/** Above this sum two persons confirm, US dollars. Not set: one suffices. */
		readonly OPERATOR_TWO_ABOVE_USD?: string;
		/** Another journal of the co-signer that a person accepts, once, as a refusal shows it (`journal/cosigner-mark.ts`). */
		readonly COSIGNER_JOURNAL?: string;
		/** The co-signer keeps backups of its journal there, and puts back the one of this name (book: cosigner, "Losing one"). */
		readonly BACKUPS?: R2Bucket;
		readonly RESTORE?: string;
		/** How far a settled rate may lie above the signer's own, basis points. Default 200. */
		readonly SIGNER_RATE_TOLERANCE_BPS?: string;
	} & {
		/** The addresses that withdrawals from the network's hot wallet may go to. No other Worker may have it. */
		readonly [key in `WITHDRAW_TO_${Uppercase<NetworkName>}`]?: string;
	} & {
		/** Confirmations that the signer asks of deposits there beyond the catalog: `20`, or `20 50000:60`. */
		readonly [key in `CONFIRMATIONS_${Uppercase<NetworkName>}`]?: string;
	};
