/** The surface's table with its documentation, which no Worker has, outside the Workers runtime. */
import { SURFACE as DECLARED } from '../../src/api/app.ts';
import { assetsDocs } from '../../src/catalog/endpoints/assets.ts';
import { currenciesDocs } from '../../src/catalog/endpoints/currencies.ts';
import { pairsDocs } from '../../src/catalog/endpoints/pairs.ts';
import { validateAddressDocs } from '../../src/catalog/endpoints/validate-address.ts';
import { createDocs } from '../../src/orders/endpoints/create.ts';
import { emergencyDocs } from '../../src/orders/endpoints/emergency.ts';
import { orderDocs } from '../../src/orders/endpoints/order.ts';
import { listOrdersDocs } from '../../src/orders/endpoints/orders.ts';
import { qrDocs } from '../../src/orders/endpoints/qr.ts';
import { playSandboxDocs } from '../../src/orders/endpoints/sandbox-deposit.ts';
import { statusDocs } from '../../src/orders/endpoints/status.ts';
import { createCodeDocs, disableCodeDocs, enableCodeDocs, listCodesDocs } from '../../src/partners/endpoints/codes.ts';
import { createKeyDocs, listKeysDocs, revokeKeyDocs } from '../../src/partners/endpoints/keys.ts';
import { rotateKeysDocs } from '../../src/partners/endpoints/rotate-keys.ts';
import { openVisitDocs } from '../../src/partners/endpoints/sandbox-keys.ts';
import type { EndpointDocs } from '../../src/ports/endpoint-docs.ts';
import { bestChangeRatesDocs, fixedFloatRatesDocs, plainRatesDocs } from '../../src/pricing/endpoints/dialects.ts';
import { limitsDocs } from '../../src/pricing/endpoints/limits.ts';
import { priceDocs } from '../../src/pricing/endpoints/price.ts';
import { floatRatesDocs, ratesDocs } from '../../src/pricing/endpoints/rates.ts';
import { earningsDocs } from '../../src/treasury/endpoints/earnings.ts';
import { listDeliveriesDocs } from '../../src/webhooks/endpoints/deliveries.ts';
import {
	changeEndpointDocs,
	createEndpointDocs,
	deleteEndpointDocs,
	listEndpointsDocs,
} from '../../src/webhooks/endpoints/endpoints.ts';
import { redeliverWebhookDocs } from '../../src/webhooks/endpoints/redeliver.ts';
import { testWebhookDocs } from '../../src/webhooks/endpoints/test-webhook.ts';

/** By the endpoint's id. */
const DOCS: Readonly<Record<string, EndpointDocs>> = {
	assets: assetsDocs,
	currencies: currenciesDocs,
	pairs: pairsDocs,
	validateAddress: validateAddressDocs,
	create: createDocs,
	qr: qrDocs,
	orders: listOrdersDocs,
	emergency: emergencyDocs,
	order: orderDocs,
	status: statusDocs,
	disableCode: disableCodeDocs,
	enableCode: enableCodeDocs,
	createCode: createCodeDocs,
	rotateKeys: rotateKeysDocs,
	createKey: createKeyDocs,
	listKeys: listKeysDocs,
	revokeKey: revokeKeyDocs,
	listCodes: listCodesDocs,
	createEndpoint: createEndpointDocs,
	listEndpoints: listEndpointsDocs,
	changeEndpoint: changeEndpointDocs,
	deleteEndpoint: deleteEndpointDocs,
	testWebhook: testWebhookDocs,
	listDeliveries: listDeliveriesDocs,
	redeliverWebhook: redeliverWebhookDocs,
	earnings: earningsDocs,
	pairLimits: limitsDocs,
	rates: ratesDocs,
	floatRates: floatRatesDocs,
	bestChangeRates: bestChangeRatesDocs,
	fixedFloatRates: fixedFloatRatesDocs,
	plainRates: plainRatesDocs,
	price: priceDocs,
	sandboxKeys: openVisitDocs,
	sandboxDeposit: playSandboxDocs,
};

/** @throws TypeError where an endpoint has no documentation */
export const SURFACE = DECLARED.map((endpoint) => {
	const docs = DOCS[endpoint.id];
	if (!docs) throw new TypeError(`${endpoint.path} is not documented`);
	return { ...endpoint, ...docs() };
});
