/** `POST /api/v1/validate-address`: would create take this address? */
import * as z from 'zod/mini';
import { optional } from '../../http/optional.ts';
import { answer, endpoint } from '../../ports/endpoint.ts';
import type { EndpointDocs } from '../../ports/endpoint-docs.ts';
import { resolveAsset } from '../settings.ts';

const addressBody = z.lazy(() =>
	z.object({
		ccy: z.string().check(z.describe('Asset id, CAIP-19 name or coin symbol, as `fromCcy` on create.')),
		network: optional(z.string()).check(z.describe('Network hint, as `fromNetwork` on create.')),
		address: z.string().check(z.maxLength(1_000), z.describe('The address.')),
	}),
);

/** As create has it. */
const MIN_CHARACTERS = 10;
const MAX_CHARACTERS = 200;

export const validateAddress = endpoint({
	method: 'POST',
	path: '/api/v1/validate-address',
	auth: 'required',
	admits: ['app', 'read', 'server'],
	weight: 1,
	isAddition: true,
	id: 'validateAddress',
	request: { schema: addressBody },
	handle: async ({ isAddress }, { ccy, network: hint, address }) => {
		const asset = resolveAsset(ccy, hint);
		if (!asset) return { kind: 'unknown-asset', field: 'ccy' };
		const { code, network } = asset;
		const isInBounds = address.length >= MIN_CHARACTERS && address.length <= MAX_CHARACTERS;
		return answer({ valid: isInBounds && isAddress(network, address), code, network });
	},
});

export const validateAddressDocs: EndpointDocs = () => ({
	tag: 'Orders',
	summary: 'Check an address',
	description: [
		'By the rules of create. Create also refuses the addresses of this service itself, and recipients that a node shows to be contracts which cannot use what they get: this call asks no node.',
	],
	example: { ccy: 'LTC', address: 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh' },
	response: {
		data: z.lazy(() =>
			z.object({
				valid: z.boolean().check(z.describe('True where create takes it for this asset.')),
				code: z.string(),
				network: z.string(),
			}),
		),
		description: 'What was checked.',
		example: { valid: true, code: 'LTC', network: 'Litecoin' },
	},
	errors: [1, 2, 3, 4, 5, 99],
});
