/** The scripts of the Bruno collection: the one that signs, and those of single requests. */

export const SIGNING = `// Signs the request in timestamp mode. Without apiSecret it is sent unsigned.
const apiSecret = bru.getEnvVar('apiSecret');
// The text that is signed is the text that is sent: variables are put in before, and nothing is added after.
const raw = req.getBody({ raw: true });
const text = typeof raw === 'string' ? raw : raw ? JSON.stringify(raw) : '';
const body = bru.interpolate(text).trim();
if (body !== '') req.setBody(body);
if (apiSecret) {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const nonce = require('uuid').v4();
  const message = [timestamp, nonce, body].join('\\n');
  req.setHeader('X-API-KEY', bru.getEnvVar('apiKey'));
  req.setHeader('X-API-NONCE', nonce);
  req.setHeader('X-API-TIMESTAMP', timestamp);
  req.setHeader('X-API-SIGN', require('crypto-js').HmacSHA256(message, apiSecret).toString());
}`;

const KEEP_ORDER = `// So that the other requests name this order.
const { code, data } = res.getBody();
if (code === 0) {
  bru.setVar('orderId', data.id);
  bru.setVar('orderToken', data.token);
}`;

const KEEP_KEY = `// So that \`revokeKey\` revokes this key, and a run of all requests leaves none.
const { code, data } = res.getBody();
if (code === 0) bru.setVar('keyId', data.id);`;

const KEEP_ENDPOINT = `// So that \`deleteEndpoint\` deletes this one, and a run of all requests leaves none.
const { code, data } = res.getBody();
if (code === 0) bru.setVar('endpointId', data.id);`;

const KEEP_SECRET = `// What follows is signed with the new secret. It is shown this once: store it elsewhere, too.
const { code, data } = res.getBody();
if (code === 0 && data.apiSecret) bru.setEnvVar('apiSecret', data.apiSecret, { persist: true });`;

/** Scripts that run after the answer, by the name of their request. */
export const AFTER: Readonly<Record<string, string>> = {
	create: KEEP_ORDER,
	createKey: KEEP_KEY,
	createEndpoint: KEEP_ENDPOINT,
	rotateKeys: KEEP_SECRET,
};

export const NEW_KEY = "// One key for each order.\nreq.setHeader('Idempotency-Key', require('uuid').v4());";

const ONLY_IF_MEANT = `// A run of all requests must not take your secret away: without the variable this one is not signed, and refused.
if (bru.getEnvVar('mayRotate') !== 'yes') req.setHeader('X-API-SIGN', '');`;

/** Scripts that run after the collection has signed their request, and before it is sent. */
export const BEFORE: Readonly<Record<string, string>> = { rotateKeys: ONLY_IF_MEANT };
