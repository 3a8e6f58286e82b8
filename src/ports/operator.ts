/** The operator Worker as the API Worker calls it. */
import type { CodeVersion } from '../platform/d1/code-version.ts';
import type { CommandAnswer, CommandInput, OwnChange, PagesAnswer } from './desk.ts';

/** The facts of a call of the operator API, beside its HTTP request. */
export interface CallFacts {
	/** As the answer and the log have it. */
	readonly requestId: string;
	/** Who runs it from the console, for the audit log; null for a caller from outside, who may name themselves. */
	readonly by: string | null;
	/** The API Worker's version, for `doctor`. */
	readonly version: CodeVersion;
}

export interface OperatorService {
	/** A call of the operator API. The API Worker has checked the token. */
	answer(request: Request, facts: CallFacts): Promise<Response>;
	/** The first pages of a command's answer, from the one that `input` names. `url`: as of its request. */
	answerPages(url: string, input: CommandInput, facts: CallFacts): Promise<PagesAnswer>;
	/** For the cabinet: a change that a partner makes themselves. */
	changeOwn(partnerId: string, change: OwnChange): Promise<CommandAnswer>;
	/** For the cabinet: sends a webhook of the partner's again. */
	sendAgain(partnerId: string, eventId: string): Promise<CommandAnswer>;
}
