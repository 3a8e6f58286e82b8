/** Contracts for tests, as the bytes that an EVM runs. */

/** Sends what it is paid to the address in its input: CALL(gas, calldata[0], callvalue, 0, 0, 0, 0). */
const FORWARD = '6000600060006000346000355af1';
export const FORWARDER = `0x${FORWARD}00`;
/** Does the same, and then reverts. */
export const REGRETTER = `0x${FORWARD}60006000fd`;
/** Pays through a `REGRETTER` at this address (hex without 0x), and then itself. */
export const hesitant = (regretter: string): string =>
	`0x6020600060003760006000602060003473${regretter}5af150${FORWARD}00`;
export const REVERTING = '0x60006000fd';
/** Uses up all gas that it is given: JUMPDEST, PUSH1 0, JUMP. */
export const ENDLESS = '0x5b600056';
/** Pays all it has to this address (hex without 0x), which no input names. */
export const payerOf = (to: string): string => `0x60006000600060004773${to}5af100`;
/** The same with 5 units of a token: `transfer(to, 5)`. */
export const tokenPayerOf = (token: string, to: string): string =>
	`0x63a9059cbb60e01b60005273${to}60045260056024526000600060446000600073${token}5af100`;
