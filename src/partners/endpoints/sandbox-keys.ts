/** `POST /api/v1/sandbox/keys`: a public sandbox's alone. Elsewhere the path is unknown. */
import * as z from 'zod/mini';
import { clientNetwork } from '../../http/client-network.ts';
import { DAY_SECONDS } from '../../platform/time.ts';
import { answer, endpoint } from '../../ports/endpoint.ts';
import type { EndpointDocs } from '../../ports/endpoint-docs.ts';
import { EXAMPLE_VISIT } from '../example.ts';
import { HERE_ALONE, ORDERS_PER_VISIT, VISIT_MILLISECONDS } from '../visitors.ts';

export const openVisit = endpoint({
	method: 'POST',
	path: '/api/v1/sandbox/keys',
	auth: 'optional',
	admits: [],
	weight: 1,
	isAddition: true,
	id: 'sandboxKeys',
	request: { isEmpty: true, schema: z.lazy(() => z.object({})) },
	handle: async ({ sandbox, headers, now }) => {
		if (!sandbox) return { kind: 'unknown-path' };
		const visit = await sandbox.openVisit(clientNetwork(headers.get('cf-connecting-ip')));
		if (!visit) return { kind: 'sandbox-full', retryAfterSeconds: DAY_SECONDS };
		return answer({ ...visit, expiresAt: Math.floor((now + VISIT_MILLISECONDS) / 1000), orders: ORDERS_PER_VISIT });
	},
});

export const openVisitDocs: EndpointDocs = () => ({
	tag: 'Sandbox',
	summary: 'Make test keys',
	description: [
		`Anonymous. Makes a partner of your own that lasts a day and may make ${ORDERS_PER_VISIT} orders. The secrets are shown this once.`,
		`When as many visitors came as the operator lets in: code 5. ${HERE_ALONE}`,
	],
	example: {},
	response: {
		data: z.lazy(() =>
			z
				.object({
					apiKey: z.string().check(z.describe('Public, for `X-API-KEY`.')),
					apiSecret: z.string().check(z.describe('Keys the HMAC of your calls.')),
					webhookSecret: z.string().check(z.describe('Keys the HMAC of webhooks.')),
					expiresAt: z.int().check(z.describe('When the key ends, Unix seconds.')),
					orders: z.int().check(z.describe('How many orders it may make.')),
				})
				.register(z.globalRegistry, { id: 'Visit', description: 'The credentials of a visitor.' }),
		),
		description: 'The credentials.',
		example: EXAMPLE_VISIT,
	},
	errors: [1, 6],
});
