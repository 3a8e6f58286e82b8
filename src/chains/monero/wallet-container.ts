/** A wallet program in a container, as the signer asks it: through the object that starts it, which nobody else can reach. */
import { within } from '../../platform/within.ts';
import type { NodeConfig } from '../configuration.ts';
import type { Send } from './node.ts';

/** The monerods that the view-only wallet reads. */
export type WalletDaemon = Pick<NodeConfig, 'urls' | 'headers'>;

export interface WalletContainer {
	/**
	 * Sends one JSON-RPC call to the program; starts its container where none runs. `daemon`: absent for the wallet that has
	 * no network. @throws Error while the program does not listen yet, or does not answer in time
	 */
	ask(body: string, timeoutMilliseconds: number, daemon?: WalletDaemon): Promise<Response>;
}

/** Stands for the program in messages; no name that can be reached. */
export const CONTAINER_URL = 'http://container';
/** The object ends a call in time by itself; so much longer one is waited for that does not come back. */
const GRACE_MILLISECONDS = 2_000;

export const throughContainer =
	(container: WalletContainer, daemon?: WalletDaemon): Send =>
	(_url, { body }, timeoutMilliseconds) =>
		within(container.ask(body, timeoutMilliseconds, daemon), timeoutMilliseconds + GRACE_MILLISECONDS, () => {
			throw new Error('its object does not answer');
		});
