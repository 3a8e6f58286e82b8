/** The rule of each reason why the signer refuses: the text, and the five ways to say it (`signer-refusal.ts`). Pure. */

/**
 * When the same request may succeed. `by-itself`: later. `after-a-person`: once the operator has acted. `never`: not at all.
 */
export type Passes = 'by-itself' | 'after-a-person' | 'never';

export interface Rule<Facts> {
	readonly passes: Passes;
	/** Is the operator called at once? */
	readonly alert: boolean;
	/** Does the text say what is to be done? To give it up, which is offered beside other reasons, would lead nowhere. */
	readonly saysWayOut: boolean;
	/** One line for the operator. */
	readonly text: (facts: Facts) => string;
}

type Text<Facts> = string | ((facts: Facts) => string);

export const rule = <Facts>(passes: Passes, alert: boolean, text: Text<Facts>): Rule<Facts> => ({
	passes,
	alert,
	saysWayOut: false,
	text: typeof text === 'string' ? () => text : text,
});
export const byItself = <Facts = object>(text: Text<Facts>) => rule<Facts>('by-itself', false, text);
export const afterPerson = <Facts = object>(text: Text<Facts>) => rule<Facts>('after-a-person', true, text);
export const never = <Facts = object>(text: Text<Facts>) => rule<Facts>('never', true, text);
export const wayOut = <Facts>(text: Text<Facts>): Rule<Facts> => ({
	...rule('after-a-person', true, text),
	saysWayOut: true,
});
/** The payment is on its way and may still confirm at the fee that it pays, so nobody is called. */
export const noBump = <Facts = object>(text: Text<Facts>) => rule<Facts>('never', false, text);
