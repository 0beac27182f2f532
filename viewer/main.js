// The page's first module.
import {data} from "./data.js";

document.body.append(JSON.stringify(await data.json("capture.json"), null, 1));
