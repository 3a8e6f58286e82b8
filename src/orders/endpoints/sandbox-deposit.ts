/** `POST /api/v1/sandbox/deposit`: a public sandbox's alone. Elsewhere the path is unknown. */
import * as z from 'zod/mini';
import { optional } from '../../http/optional.ts';
import { DEPOSITS_PER_ORDER, HERE_ALONE } from '../../partners/visitors.ts';
import { answer, endpoint } from '../../ports/endpoint.ts';
import type { EndpointDocs } from '../../ports/endpoint-docs.ts';
import { SANDBOX_EVENTS } from '../../ports/operator.ts';
import { EXAMPLE_ORDER, EXAMPLE_TX_ID } from '../example.ts';

const eventBody = z.lazy(() =>
	z.object({
		id: z.string().check(z.describe('The id of an order of yours.')),
		event: optional(z.enum(SANDBOX_EVENTS)).check(
			z.describe(
				'`paid` (absent: this): a deposit comes. `confirmed`: all its deposits become final. `dropped`: those that are not final disappear.',
			),
		),
		amount: optional(z.string().check(z.maxLength(100))).check(
			z.describe('Of a deposit, in coins, as `0.5`; absent: what the order asks for.'),
		),
		confirmations: optional(z.literal(0)).check(
			z.describe('0: the deposit stays in the mempool; absent: it is final at once.'),
		),
	}),
);

export const playSandbox = endpoint({
	method: 'POST',
	path: '/api/v1/sandbox/deposit',
	auth: 'required',
	admits: ['app', 'server'],
	weight: 10,
	isAddition: true,
	id: 'sandboxDeposit',
	request: { schema: eventBody },
	handle: async ({ sandbox, partner }, { id, event = 'paid', amount, confirmations }) => {
		if (!sandbox) return { kind: 'unknown-path' };
		const played = await sandbox.playSandbox(partner.id, { id, event, amount, confirmations });
		if ('problem' in played) return { kind: 'sandbox-event-refused', problem: played.problem };
		return played.isFound ? answer({ id, event, txId: played.txId }) : { kind: 'order-unknown' };
	},
});

export const playSandboxDocs: EndpointDocs = () => ({
	tag: 'Sandbox',
	summary: 'Play what happens to an order',
	description: [
		`A deposit of any amount to an order of yours, its confirmation, or its disappearance; ${DEPOSITS_PER_ORDER} deposits to an order at most.`,
		'What follows is what follows on a real network: an order that got too little or too much asks for a decision.',
		'',
		'Two headers of a public sandbox help beside it. Every refusal has `X-Refusal-Reason`, a sentence that says why. A',
		`signed call with \`X-Sandbox-Answer: 5\`, \`10\`, \`11\` or \`99\` is answered with that code. ${HERE_ALONE}`,
	],
	example: { id: EXAMPLE_ORDER.id },
	response: {
		data: z.lazy(() =>
			z
				.object({
					id: z.string().check(z.describe('The order.')),
					event: z.enum(SANDBOX_EVENTS).check(z.describe('What happened to it.')),
					txId: z.nullable(z.string()).check(z.describe('The transaction of the new deposit; null without one.')),
				})
				.register(z.globalRegistry, { id: 'PlayedDeposit', description: 'What happened to an order.' }),
		),
		description: 'It happened.',
		example: { id: EXAMPLE_ORDER.id, event: 'paid', txId: EXAMPLE_TX_ID },
	},
	errors: [1, 6],
});
