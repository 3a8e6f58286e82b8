/** What tests of the documentation compare: the service's OpenAPI document, a partner, and a receiver of their webhooks. */
import { afterAll, beforeAll } from 'vitest';
import type { OpenApiDocument } from '../../src/docs/document.ts';
import { readDocument } from './openapi.ts';
import { type Credentials, createPartner } from './partner.ts';
import type { TestService } from './service.ts';
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts';

interface Documented {
	readonly receiver: WebhookReceiver;
	readonly partner: Credentials;
	readonly document: OpenApiDocument;
}

/** Call it at the top of a test file. Its fields can be read once the tests run. */
export function documentedForFile(service: { current: () => TestService }): Documented {
	let made: Documented | null = null;
	beforeAll(async () => {
		const receiver = await startWebhookReceiver();
		const partner = await createPartner(service.current(), { webhookUrl: receiver.url, afftaxBps: 100 });
		made = { receiver, partner, document: await readDocument(service.current()) };
	});
	afterAll(() => made?.receiver.close());
	const current = (): Documented => {
		if (!made) throw new Error('the document has not been read yet');
		return made;
	};
	return {
		get receiver() {
			return current().receiver;
		},
		get partner() {
			return current().partner;
		},
		get document() {
			return current().document;
		},
	};
}
