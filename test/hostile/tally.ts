/** Counts answers by endpoint and code, and keeps what was wrong. */
import type { Caller, PlainAnswer } from '../support/hostile-calls.ts';
import type { HostileCase } from '../support/hostile-cases.ts';

const KEPT = 40;

export class Tally {
	made = 0;
	wrong = 0;
	readonly faults: string[] = [];
	/** Endpoint → how it answered → how often. */
	readonly #answers = new Map<string, Map<string, number>>();
	/** Answers that no Worker made. */
	readonly #runtime = new Map<string, { count: number; readonly example: string }>();
	readonly #began = Date.now();

	async run(caller: Caller, endpoint: string, cases: readonly HostileCase[]): Promise<void> {
		const noAnswer = ({ message }: Error) => ({ status: 0, requestId: undefined, text: message });
		const answers = await caller.sendAll(
			cases.map(({ call }) => call),
			noAnswer,
		);
		for (const [i, answer] of answers.entries()) {
			const asked = cases[i];
			if (asked) this.#note(endpoint, asked, answer);
		}
	}

	#note(endpoint: string, { call, faultOf }: HostileCase, answer: PlainAnswer): void {
		this.made += 1;
		const { status, text, requestId } = answer;
		const code = /^\{"code":(\d+)/.exec(text)?.[1];
		const how = code === undefined ? String(status) : `${status}/${code}`;
		const ofEndpoint = this.#answers.get(endpoint) ?? new Map<string, number>();
		this.#answers.set(endpoint, ofEndpoint.set(how, (ofEndpoint.get(how) ?? 0) + 1));
		const fault = status === 0 ? 'no answer' : requestId === undefined ? null : faultOf(answer);
		if (requestId === undefined && status !== 0) this.#noteRuntime(call.name, answer);
		if (fault) this.fail(`${call.name}: ${fault}: ${status} ${text.slice(0, 200)}`);
	}

	/** Every answer of the Worker has a request id: this one was made before it. */
	#noteRuntime(name: string, { status, text }: PlainAnswer): void {
		const key = `${status} ${text.slice(0, 80).replaceAll(/\s+/g, ' ')}`;
		const noted = this.#runtime.get(key) ?? { count: 0, example: name };
		noted.count += 1;
		this.#runtime.set(key, noted);
	}

	/** What came back over a bare socket; nothing where the caller went away. */
	noteRaw(name: string, answer: string): void {
		this.made += 1;
		if (answer.includes('"code":99')) this.fail(`${name}: ${answer.slice(0, 200)}`);
		if (answer === '' || /\r\nx-request-id:/i.test(answer)) return;
		const [head = '', body = ''] = answer.split('\r\n\r\n');
		this.#noteRuntime(name, { status: Number(head.split(' ')[1]), requestId: undefined, text: body });
	}

	fail(fault: string): void {
		this.wrong += 1;
		if (this.faults.length < KEPT) this.faults.push(fault);
	}

	progress(stage: string): void {
		const perSecond = (this.made / (Date.now() - this.#began)) * 1000;
		console.log(`${stage}: ${this.made} requests, ${perSecond.toFixed(0)} a second, ${this.wrong} wrong`);
	}

	print(): void {
		console.log('\nAnswers, by HTTP status and code\n');
		for (const [endpoint, answers] of [...this.#answers].sort()) {
			const counted = [...answers].sort().map(([how, count]) => `${how}: ${count}`);
			console.log(`  ${endpoint}  ${counted.join(', ')}`);
		}
		console.log(`\nRefused by the runtime, before the Worker: ${this.#runtime.size === 0 ? 'none' : ''}`);
		for (const [how, { count, example }] of this.#runtime)
			console.log(`  ${count} × ${how}, as for ${example.slice(0, 120)}`);
		if (this.faults.length > 0) console.log(`\nWrong\n\n  ${this.faults.join('\n  ')}`);
	}
}
