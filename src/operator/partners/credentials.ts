/** The id, the apiKey and the secrets of a new partner. */
import { keeperOf, numbersOf, type OperatorEnv } from '../env.ts';

/** `sealed`: for the partner's row. `secrets`: shown once. @throws ConfigurationError where a key's variables are wrong */
export async function newCredentials(env: OperatorEnv) {
	for (const key of ['API_KEY_KEY', 'SECRETS_KEY'] as const) numbersOf(env, key);
	const keeper = keeperOf(env);
	const { id, apiKey } = await keeper.newApiKey();
	const apiSecret = await keeper.newSecret(id, 'apiSecret');
	const webhookSecret = await keeper.newSecret(id, 'webhookSecret');
	return {
		sealed: { id, apiKey, apiSecretSealed: apiSecret.sealed, webhookSecretSealed: webhookSecret.sealed },
		secrets: { apiSecret: apiSecret.secret, webhookSecret: webhookSecret.secret },
	};
}
