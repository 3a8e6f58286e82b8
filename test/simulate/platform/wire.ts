/**
 * The wire between the signer's house and the link. What happens to any effect happens to its calls; besides, a call comes
 * twice, and in an answer's place comes one of an earlier call, as a bad network or somebody on it may do.
 */
import type { Owner, World } from '../world.ts';

interface Answered {
	readonly status: number;
	readonly headers: readonly (readonly [string, string])[];
	readonly body: string;
}

/** Turns of the machine until the bodies of a call and of its answer are read. */
const BODY_TURNS = 12;
/** Milliseconds after which a doubled call comes again, at most. */
const AGAIN_MILLISECONDS = 2_000;

export class Wire {
	readonly #world: World;
	/** By address: the last answer that was carried. */
	readonly #last = new Map<string, Answered>();
	/** Answers that came to their own question, by address. */
	readonly fair = new Map<string, number>();

	constructor(world: World) {
		this.#world = world;
	}

	/** `answer`: in an isolate of the other end. */
	async carry(owner: Owner, request: Request, answer: (request: Request) => Promise<Response>): Promise<Response> {
		const { url } = request;
		const headers = [...request.headers];
		this.#world.turns = BODY_TURNS;
		const body = await request.text();
		const { striker } = this.#world;
		const come = async (): Promise<Answered> => {
			this.#world.turns = BODY_TURNS;
			const response = await answer(new Request(url, { method: 'POST', headers, body }));
			this.#world.turns = BODY_TURNS;
			return { status: response.status, headers: [...response.headers], body: await response.text() };
		};
		if (striker.happens('call doubled', this.#world))
			this.#world.after(this.#world.random.next() * AGAIN_MILLISECONDS, () => void come().catch(() => undefined));
		const { status, ...rest } = await this.#world.effect(owner, `wire ${new URL(url).hostname}`, async () => {
			const own = await come();
			const before = this.#last.get(url);
			this.#last.set(url, own);
			if (before && striker.happens('answer swapped', this.#world)) return before;
			this.fair.set(url, (this.fair.get(url) ?? 0) + 1);
			return own;
		});
		return new Response(rest.body, { status, headers: rest.headers as [string, string][] });
	}
}
