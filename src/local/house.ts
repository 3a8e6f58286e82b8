/** `npm run house`: the signer in a house of its own on this machine. */
import { runJudge } from './run-judge.ts';

void runJudge({ judge: 'house', called: "signer's house", defaults: { stateDirectory: '.house', port: 8788 } });
