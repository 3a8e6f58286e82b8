/**
 * The co-signer's Worker: another Cloudflare account, or a machine of the operator's (book: cosigner). Its one door takes
 * signed calls of the signer, and hands them to the vault. It has no binding to the service. Its cron keeps the journal.
 */
import { answerAt, doorOf } from '../../link/door.ts';
import type { HasNonces } from '../../link/nonces.ts';
import { objectNamed } from '../../platform/region.ts';
import { COSIGNER_CALLS, type Cosigner } from '../../ports/cosigner.ts';
import type { SignerEnv } from '../env.ts';
import type { Vault } from './vault.ts';

export { Nonces } from '../../link/nonces.ts';
export { JournalVolume } from '../journal/volume.ts';
export { Vault } from './vault.ts';

type CosignerEnv = Omit<SignerEnv, 'VAULT'> & HasNonces & { readonly VAULT: DurableObjectNamespace<Vault> };

/** Answers a call; an error crosses as its words. @throws SyntaxError on what is no JSON, which no signer of the key sends */
async function answer(env: CosignerEnv, body: string): Promise<Response> {
	const { call, given } = JSON.parse(body) as { readonly call: keyof Cosigner; readonly given: readonly unknown[] };
	try {
		if (!COSIGNER_CALLS.includes(call)) throw new TypeError('no such call');
		const vault = objectNamed(env, env.VAULT, 'vault') as unknown as Record<
			keyof Cosigner,
			(...given: readonly unknown[]) => Promise<unknown>
		>;
		return Response.json({ answer: structuredClone((await vault[call](...given)) ?? null) });
	} catch (error) {
		return Response.json({ error: error instanceof Error ? error.message : String(error) });
	}
}

export default {
	fetch: (request, env) =>
		answerAt(
			doorOf(env, 'cosigner', (body) => answer(env, body)),
			request,
		),
	scheduled: (_, env) => objectNamed(env, env.VAULT, 'vault').keep(),
} satisfies ExportedHandler<CosignerEnv>;
