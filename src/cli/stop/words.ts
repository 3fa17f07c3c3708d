import { STOPPED_BY, type Stopped } from "#model";
import { showMoment } from "../terminal/local-time.ts";

/** That everything is stopped, in one sentence. */
export const stoppedSentence = ({ at, by }: Stopped): string =>
  `Everything was stopped ${STOPPED_BY[by]}, ${showMoment(at)}. Nothing runs until \`silas start-again\`.`;
