/** Turns everything that stops a signature into a refusal, for the signer's answer and its log. */
import type { NetworkName } from '../catalog/networks.ts';
import { InsufficientReserve, MayStillConfirm, PaymentImpossible, SigningBlocked } from '../chains/errors.ts';
import { ConfigurationError } from '../crypto/key-ring.ts';
import { log, logError } from '../platform/log.ts';
import { isAlert, refusalText, type SignerRefusal } from '../treasury/signer-refusal.ts';

/** Works for results that have no field `kind` of their own. */
export const isRefusal = (result: object): result is SignerRefusal => 'kind' in result;

/** A refusal from within what throws. */
export class Refused extends Error {
	readonly refusal: SignerRefusal;
	constructor(refusal: SignerRefusal) {
		super(refusalText(refusal));
		this.refusal = refusal;
	}
}

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
export function logRefusal(
	event: 'signing_refused' | 'fee_bump_refused',
	facts: Readonly<Record<string, unknown>>,
	refusal: SignerRefusal,
): void {
	log(event, { ...facts, kind: refusal.kind, refused: refusalText(refusal), again: !isAlert(refusal) });
}

/** The refusal that stands for an error of chain families, of the configuration, or unforeseen. */
function refusalOf(error: unknown): SignerRefusal {
	if (!(error instanceof Error)) return { kind: 'failed', detail: String(error) };
	const { message } = error;
	if (error instanceof Refused) return error.refusal;
	if (error instanceof InsufficientReserve) return { kind: 'reserve-too-low', detail: message };
	if (error instanceof SigningBlocked) return { kind: 'signing-blocked', detail: message };
	if (error instanceof MayStillConfirm) return { kind: 'may-still-confirm', detail: message };
	if (error instanceof PaymentImpossible) return { kind: 'payment-impossible', detail: message };
	if (error instanceof ConfigurationError) return { kind: 'key-invalid', problem: message };
	return { kind: 'failed', detail: String(error) };
}
