/** The demo partner of the first start: created through the operator API like any other, its credentials printed once. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LocalService } from './service.ts';

interface Credentials {
	readonly id: string;
	readonly apiKey: string;
	readonly apiSecret: string;
	readonly webhookSecret: string;
}

/** Lines for the terminal. Only the partner's id is kept: like every partner's, the secrets are shown this once. */
export async function demoPartner(service: LocalService, stateDirectory: string): Promise<string[]> {
	const path = join(stateDirectory, 'demo-partner');
	if (existsSync(path)) {
		return [
			`The demo partner is ${readFileSync(path, 'utf8')}; its secrets were shown once. \`npx exchange partner replace-secret Demo apiSecret\` makes a new one, \`npx exchange partner create --name NAME\` another partner.`,
		];
	}
	const partner = await createPartner(service);
	writeFileSync(path, partner.id);
	return [
		'',
		'A demo partner, shown this once:',
		`  apiKey         ${partner.apiKey}`,
		`  apiSecret      ${partner.apiSecret}`,
		`  webhookSecret  ${partner.webhookSecret}`,
		'',
		'A first signed call, as it is:',
		'',
		signedCurl(service.url, partner),
		'',
	];
}

async function createPartner(service: LocalService): Promise<Credentials> {
	const response = await fetch(`${service.url}/operator/v1/partner/create`, {
		method: 'POST',
		headers: { authorization: `Bearer ${service.secrets.OPERATOR_TOKEN}` },
		body: JSON.stringify({ name: 'Demo' }),
	});
	const answer = (await response.json()) as { ok: boolean; data: Credentials; error?: string };
	if (!answer.ok) throw new Error(`the demo partner could not be created: ${answer.error}`);
	return answer.data;
}

/**
 * Timestamp mode (book: contract, "Signing"): timestamp, nonce and body, each on a line of its own, under the
 * apiSecret.
 */
function signedCurl(url: string, { apiKey, apiSecret }: Credentials): string {
	const body = '{"type":"float","fromCcy":"LTC","toCcy":"ETH","direction":"from","amount":"2"}';
	return [
		`T=$(date +%s); N=$(openssl rand -hex 16); B='${body}'`,
		`S=$(printf '%s\\n%s\\n%s' "$T" "$N" "$B" | openssl dgst -sha256 -hmac '${apiSecret}' | sed 's/^.* //')`,
		`curl -s ${url}/api/v1/price -H 'X-API-KEY: ${apiKey}' -H "X-API-SIGN: $S" -H "X-API-NONCE: $N" -H "X-API-TIMESTAMP: $T" -d "$B"`,
	].join('; ');
}
