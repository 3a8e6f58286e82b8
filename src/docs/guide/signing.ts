/** A test vector for those who implement signing. A test checks it. */
export const SIGNING_EXAMPLE = {
	apiSecret: 'example-api-secret',
	timestamp: '1795176000',
	nonce: '8f14e45fceea4672a9e1c6b1e5d0b7aa',
	body: '{"type":"float","fromCcy":"LTC","toCcy":"ETH","direction":"from","amount":"2"}',
	timestampMode: '8dc528d876a49b6a2cb590a6d401510bf59b01fe90a6367e17b36c619798e7c7',
	bodyOnly: 'b9ad2942205232d11888efcd851f9f9a4c1b00cdc2202704af07e7b56f462f66',
};
