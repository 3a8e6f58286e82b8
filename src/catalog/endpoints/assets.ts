/** `POST /api/v1/assets`: what a wallet has to know of each asset. */
import * as z from 'zod/mini';
import { endpoint } from '../../ports/endpoint.ts';
import type { EndpointDocs } from '../../ports/endpoint-docs.ts';
import { assetSchema } from '../schema.ts';
import { assetsText } from '../view.ts';
import { answerList, EMPTY_BODY, EMPTY_BODY_NOTE } from './list.ts';

export const assets = endpoint({
	method: 'POST',
	path: '/api/v1/assets',
	auth: 'optional',
	admits: ['app', 'read', 'server'],
	weight: 1,
	isAddition: true,
	id: 'assets',
	request: EMPTY_BODY,
	handle: (call) => answerList(call, assetsText),
});

export const assetsDocs: EndpointDocs = () => ({
	tag: 'Quotes',
	summary: 'List the assets as wallets know them',
	description: [
		'Every asset that is taken or paid, with chain id, contract, decimals, confirmations and link templates. `asset` is its',
		'CAIP-19 name, which every call takes instead of `code`.',
		'',
		...EMPTY_BODY_NOTE,
	],
	example: {},
	response: {
		data: z.lazy(() => z.array(assetSchema)),
		description: 'All assets.',
		example: [
			{
				code: 'USDTERC20',
				asset: 'eip155:1/erc20:0xdAC17F958D2ee523a2206206994597C13D831ec7',
				coin: 'USDT',
				network: 'Ethereum',
				name: 'Tether USD (Ethereum)',
				recv: true,
				send: true,
				chainId: 1,
				contract: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
				decimals: 6,
				precision: 6,
				confirmations: 12,
				minutes: 3,
				explorer: 'https://etherscan.io/tx/{tx}',
				payment: 'ethereum:0xdAC17F958D2ee523a2206206994597C13D831ec7@1/transfer?address={address}&uint256={units}',
				logo: null,
			},
		],
	},
	errors: [11],
});
