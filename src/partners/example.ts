/** The reference code and the scoped key of the reference's examples. Pure data. */

export const EXAMPLE_CODE = {
	id: '3b6b1c56-7a53-4d0c-9df8-2c6e9a0f4b77',
	code: 'newsletter',
	label: 'Newsletter, autumn',
	afftaxBps: 75,
	enabled: true,
	createdAt: '2026-11-20T12:00:00.000Z',
};

export const EXAMPLE_KEY = {
	id: '5f0c9b1a7e42d386',
	kind: 'app',
	label: 'Wallet 3.1',
	apiKey: 'pk_iVhBwT1Q1nmPZ0x4s8rH2l8MmxpCLThuCkH0bQ3V1uXq8sZe',
	addresses: [],
	expiresAt: null,
	createdAt: 1795176000,
	lastUsedAt: null,
};

export const EXAMPLE_VISIT = {
	apiKey: 'pk_9KtVQ2mXcB0oWn5LrYf3TzHd8aGsEjU1pRvNqMk4ZyCxAw7e',
	apiSecret: 'N0wYouSeeMeOnlyThisOnce-k3ep-me-in-a-vault_',
	webhookSecret: 'AndM3TooOnlyThisOnce-k3ep-me-in-a-vault-too_',
	expiresAt: 1795262400,
	orders: 50,
};
