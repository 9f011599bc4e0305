// SPDX-License-Identifier: Apache-2.0

import API
import Display
import HTTPTypes
import Hummingbird

/// An error response. Like other answers it has a ``ReplyReport`` as its body; a browser that opens an address gets a
/// page.
struct HTTPProblem: HTTPResponseError {
    var status: HTTPResponse.Status
    var field: String
    var message: String

    init(_ status: HTTPResponse.Status, field: String = "", _ message: String) {
        self.status = status
        self.field = field
        self.message = message
    }

    var response: Response {
        let isInvalid = [.badRequest, .contentTooLarge, .unprocessableContent].contains(status)
        let reply = ReplyReport(RequestError(field, message), outcome: isInvalid ? .invalid : .failed)
        return .json(reply.encoded, status: status)
    }

    func response(from request: Request, context: some RequestContext) -> Response {
        guard !request.method.mayChange, request.headers[.accept]?.contains("text/html") == true else {
            return response
        }
        let text = RequestError(field, message).description
        return .html(MessagePage.html(.userText("\(status)"), .userText(text)), status: status)
    }
}
