/** One way from whatever stops a signature to the signer's answer and to its log. */
import type { NetworkName } from '../catalog/networks.ts';
import { InsufficientReserve, PaymentImpossible, SigningBlocked } from '../chains/port.ts';
import { ConfigurationError } from '../crypto/key-ring.ts';
import { log, logError } from '../log.ts';
import { isAlert, refusalText, type SignerRefusal } from '../treasury/signer-refusal.ts';

/** For results that have no `kind` of their own. */
export const isRefusal = (result: object): result is SignerRefusal => 'kind' in result;

export interface Attempt {
	readonly what: 'signing' | 'fee_bump';
	readonly payoutId: string;
	readonly network: NetworkName;
}

/** Never throws: an error becomes a refusal. Each refusal is one line of the log. */
export async function attempt<Result extends object>(
	{ what, payoutId, network }: Attempt,
	run: () => Promise<Result | SignerRefusal>,
): Promise<Result | SignerRefusal> {
	const outcome = await run().catch((error: unknown) => {
		const refusal = refusalOf(error);
		if (refusal.kind === 'failed') logError(`${what}_failed`, error, { payoutId, network });
		return refusal;
	});
	if (isRefusal(outcome)) logRefusal(`${what}_refused`, { payoutId, network }, outcome);
	return outcome;
}

/** `again`: a later try may succeed, so nobody is called. */
export function logRefusal(event: string, facts: Readonly<Record<string, unknown>>, refusal: SignerRefusal): void {
	log(event, { ...facts, kind: refusal.kind, refused: refusalText(refusal), again: !isAlert(refusal) });
}

/** What chain families and configuration throw, and what nobody expected. */
function refusalOf(error: unknown): SignerRefusal {
	if (!(error instanceof Error)) return { kind: 'failed', detail: String(error) };
	const { message } = error;
	if (error instanceof InsufficientReserve) return { kind: 'reserve-too-low', detail: message };
	if (error instanceof SigningBlocked) return { kind: 'signing-blocked', detail: message };
	if (error instanceof PaymentImpossible) return { kind: 'payment-impossible', detail: message };
	if (error instanceof ConfigurationError) return { kind: 'key-invalid', problem: message };
	return { kind: 'failed', detail: String(error) };
}
