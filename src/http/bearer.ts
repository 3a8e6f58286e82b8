/** The token of `Authorization: Bearer`; empty where there is none, or another scheme. Pure. */
export const bearerOf = (headers: Headers): string =>
	/^Bearer +([\w.~+/-]+=*) *$/.exec(headers.get('authorization') ?? '')?.[1] ?? '';
